import type { CardSettings } from '../../data/config/card-settings.ts';
import type { CardIssuer } from './issuer.ts';
import { createSandboxIssuer } from './sandbox-issuer.ts';
import { createStripeIssuer } from './stripe-issuer.ts';

/** The issuer that the configuration names. Nothing is asked of it yet. */
export async function configuredIssuer({ issuer }: CardSettings, now: () => number): Promise<CardIssuer> {
  return issuer.kind === 'stripe' ? createStripeIssuer(issuer, { now }) : createSandboxIssuer({ now });
}
