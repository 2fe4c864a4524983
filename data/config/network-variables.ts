import { isIP } from 'node:net';
import { z } from 'zod';
import { type ConfigProblem, type GivenVariables, port, problemsIfSet } from './variable-types.ts';

/** This machine's own host names. Requests through a proxy or by DNS rebinding usually name another host. */
export const OWN_HOST_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** @param publicOrigin null, the default, means `http://localhost:PORT` */
export function isLocalOrigin(publicOrigin: string | null): boolean {
  return publicOrigin === null || OWN_HOST_NAMES.includes(new URL(publicOrigin).hostname);
}

export const PROXIES_TRUSTED_WHEN_LOCAL: readonly string[] = ['127.0.0.0/8', '::1'];

/**
 * How Prometheus reads the metrics. If neither a token nor a listener is set, only programs on this machine can read them, and
 * only while the portal has no public origin.
 */
export interface MetricsConfig {
  /** The bearer token that a caller must send; null if callers need none. */
  readonly token: string | null;
  /** The address and port that serve the metrics and nothing else; null if the portal's own port serves them. */
  readonly listener: { readonly host: string; readonly port: number } | null;
}

/** Accepts IP addresses and networks in CIDR notation, but not `/0`, which would trust everyone. */
function isAddressOrNetwork(text: string): boolean {
  const [, address = '', prefix] = /^([\da-f.:]+)(?:\/([1-9]\d{0,2}))?$/i.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(prefix ?? 1) <= (version === 4 ? 32 : 128);
}

export const NETWORK_VARIABLES = {
  TRUSTED_PROXIES: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine((proxies) => proxies.every(isAddressOrNetwork), {
      error:
        'contains an entry that is neither an address nor a network. Write it as 127.0.0.1,10.0.0.0/8,2001:db8::/32.',
    })
    .optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: port.optional(),
  METRICS_TOKEN: z
    .string()
    // The characters that RFC 6750 allows in a bearer token.
    .regex(
      /^[\w.~+/-]{32,}=*$/,
      'is not a bearer token of 32 or more characters. Set it to the output of openssl rand -base64 32.',
    )
    .optional(),
};

export function networkConflicts(variables: GivenVariables): readonly ConfigProblem[] {
  if (variables.METRICS_PORT !== undefined) return [];
  const message = 'is set without METRICS_PORT. Set both, or remove METRICS_HOST.';
  return problemsIfSet(variables, ['METRICS_HOST'], message);
}

export function networkConfig(
  values: z.infer<z.ZodObject<typeof NETWORK_VARIABLES>>,
  publicOrigin: string | null,
): { readonly trustedProxies: readonly string[]; readonly metrics: MetricsConfig } {
  const { METRICS_HOST: host, METRICS_PORT: metricsPort, METRICS_TOKEN: token = null } = values;
  return {
    trustedProxies: values.TRUSTED_PROXIES ?? (isLocalOrigin(publicOrigin) ? PROXIES_TRUSTED_WHEN_LOCAL : []),
    metrics: { token, listener: metricsPort === undefined ? null : { host, port: metricsPort } },
  };
}
