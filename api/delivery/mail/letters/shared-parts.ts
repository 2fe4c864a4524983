import { toDecimalText } from '../../../../data/model/amounts.ts';
import type { LetterPart } from '../letter.ts';

/** What letters need to know of the portal. */
export interface PortalTerms {
  /** Where people reach the portal, without a slash at its end. */
  readonly origin: string;
  /** Decimals of BD; null while they have not been read from the chain. */
  readonly decimals: number | null;
}

export function statusLink({ origin }: PortalTerms): LetterPart {
  return { kind: 'link', label: 'See where it stands', url: `${origin}/application-status` };
}

export function applicationsOnAdminScreen({ origin }: PortalTerms): LetterPart {
  return { kind: 'link', label: 'Open it on the admin screen', url: `${origin}/admin/dashboard` };
}

export const NOT_YOU: LetterPart = {
  kind: 'small',
  text: 'Was this not you? Then somebody gave your address, and you need do nothing. BlackDuck never asks for a seed phrase or a private key.',
};

/** An amount (base units) to its last digit, since a tier may hang on it: `1,499,999.999999 BD`. */
export function exactBd(amount: bigint, decimals: number): string {
  const [whole = '', fraction] = toDecimalText(amount, decimals).split('.');
  const grouped = BigInt(whole).toLocaleString('en-US');
  return `${fraction === undefined ? grouped : `${grouped}.${fraction}`} BD`;
}

/** What a page stated, which may be any text, with its unit where it is a number. */
export function statedBd(stated: string | null): string | null {
  return stated !== null && /^[\d.,]+$/.test(stated) ? `${stated} BD` : stated;
}
