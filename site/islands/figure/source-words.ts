import { feedLabel } from './feed-label.ts';

/** What a body's `source` names, where that is a chain. */
const CHAINS: Readonly<Record<string, string>> = {
  solana: 'Solana',
  'embedded-ledger': 'embedded demo ledger',
};

/** The name of what a figure was read from: a chain, or a market feed. A demonstration is called what it is. */
export function sourceWords(source: string): string {
  return (Object.hasOwn(CHAINS, source) ? CHAINS[source] : undefined) ?? feedLabel(source);
}
