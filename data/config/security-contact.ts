import { z } from 'zod';
import { isSoleMailAddress } from '../model/mail-address.ts';
import { type ConfigProblem, type GivenVariables, isHttpUrl, problemsIfSet } from './variable-types.ts';

/** Where vulnerabilities are reported, for `/.well-known/security.txt`. */
export interface SecurityContact {
  /** `mailto:` and `https:` URIs, the preferred one first. */
  readonly contacts: readonly string[];
  readonly policy: string | null;
}

/** RFC 9116 requires https for web URIs. Only printable ASCII is accepted: a line break would add a line to the file. */
const isHttpsUri = (text: string) => /^https:\/\/[!-~]+$/.test(text) && isHttpUrl(text);

function isContact(text: string): boolean {
  const [, address] = /^mailto:([!-~]+)$/.exec(text) ?? [];
  return address === undefined ? isHttpsUri(text) : isSoleMailAddress(address);
}

export const SECURITY_VARIABLES = {
  SECURITY_CONTACT: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine((contacts) => contacts.every(isContact), {
      error:
        'contains an entry that is neither a mailto: nor an https: URI. Write it as mailto:security@example.com, https://example.com/report',
    })
    .optional(),
  SECURITY_POLICY: z
    .string()
    .refine(isHttpsUri, { error: 'is not an https URL. Write it as https://host/path.' })
    .optional(),
};

export function securityConflicts(variables: GivenVariables): readonly ConfigProblem[] {
  if (variables.SECURITY_CONTACT !== undefined) return [];
  const message =
    'is set without SECURITY_CONTACT, so nobody would see it. Set both, or remove SECURITY_POLICY.';
  return problemsIfSet(variables, ['SECURITY_POLICY'], message);
}

export function securityContact(
  values: z.infer<z.ZodObject<typeof SECURITY_VARIABLES>>,
): SecurityContact | null {
  const { SECURITY_CONTACT: contacts, SECURITY_POLICY: policy = null } = values;
  return contacts === undefined ? null : { contacts, policy };
}
