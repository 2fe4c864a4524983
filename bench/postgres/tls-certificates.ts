import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/* Creates X.509 certificates. Node can read them but not create them. */

const TAG = {
  boolean: 1,
  integer: 2,
  bits: 3,
  octets: 4,
  oid: 6,
  text: 12,
  time: 24,
  sequence: 48,
  set: 49,
} as const;
/** Context-specific DER tags in X.509: two fields of a certificate, and the two types of alternative names that are used. */
const CONTEXT_TAG = { version: 0xa0, extensions: 0xa3, dnsName: 0x82, address: 0x87 } as const;

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
const sequence = (...parts: readonly Uint8Array[]) => der(TAG.sequence, ...parts);
const oid = (hex: string) => der(TAG.oid, Buffer.from(hex, 'hex'));
const ALGORITHM = sequence(oid('2a8648ce3d040302')); // ecdsa-with-SHA256
const COMMON_NAME = oid('550403');
const BASIC_CONSTRAINTS = oid('551d13');
const SUBJECT_ALT_NAME = oid('551d11');
const DER_TRUE = der(TAG.boolean, Buffer.from([255]));

const nameOf = (name: string) =>
  sequence(der(TAG.set, sequence(COMMON_NAME, der(TAG.text, Buffer.from(name)))));
const timeOf = (time: Date) =>
  der(TAG.time, Buffer.from(`${time.toISOString().replace(/\D/g, '').slice(0, 14)}Z`));

const pemOf = (bytes: Buffer) =>
  `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;

export interface CertificateWithKey {
  readonly key: string;
  readonly certificate: string;
}

interface CertificateSpec {
  readonly name: string;
  readonly extensions: readonly Buffer[];
  readonly issuer?: { readonly name: string; readonly key: KeyObject };
}

const DAY_MS = 86_400_000;

function createCertificate({ name, extensions, issuer }: CertificateSpec): CertificateWithKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const now = Date.now();
  const tbsCertificate = sequence(
    der(CONTEXT_TAG.version, der(TAG.integer, Buffer.from([2]))),
    der(TAG.integer, Buffer.from([1]), randomBytes(8)),
    ALGORITHM,
    nameOf(issuer?.name ?? name),
    sequence(timeOf(new Date(now - DAY_MS)), timeOf(new Date(now + DAY_MS))),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(CONTEXT_TAG.extensions, sequence(...extensions)),
  );
  const signature = sign('sha256', tbsCertificate, issuer?.key ?? privateKey);
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: pemOf(sequence(tbsCertificate, ALGORITHM, der(TAG.bits, Buffer.from([0]), signature))),
  };
}

/** Creates a certificate authority. The certificates that it signs are valid for a day. Keys and certificates are in PEM. */
export function createAuthority(name: string) {
  const extensions = [sequence(BASIC_CONSTRAINTS, DER_TRUE, der(TAG.octets, sequence(DER_TRUE)))];
  const authority = createCertificate({ name, extensions });
  const issuer = { name, key: createPrivateKey(authority.key) };
  return {
    certificate: authority.certificate,
    /** @param host a DNS name or an IPv4 address */
    certificateFor(host: string): CertificateWithKey {
      const isAddress = /^[\d.]+$/.test(host);
      const entry = isAddress
        ? der(CONTEXT_TAG.address, Buffer.from(host.split('.').map(Number)))
        : der(CONTEXT_TAG.dnsName, Buffer.from(host));
      const names = sequence(SUBJECT_ALT_NAME, der(TAG.octets, sequence(entry)));
      return createCertificate({ name: host, extensions: [names], issuer });
    },
  };
}
