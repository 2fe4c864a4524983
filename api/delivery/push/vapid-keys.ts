import { createECDH, hkdfSync } from 'node:crypto';
import type { MasterKey } from '../../documents/master-key.ts';

/** The keys that identify the portal to push services (RFC 8292), in base64url. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** Derives the keys from the master key, so that all replicas have the same keys and keep them after a restart. */
export function deriveVapidKeys({ bytes }: MasterKey): VapidKeys {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(Buffer.from(hkdfSync('sha256', bytes, '', 'web push', 32)));
  return { publicKey: pair.getPublicKey('base64url'), privateKey: pair.getPrivateKey('base64url') };
}
