/** What a body's `source` names, in words; a demonstration is called what it is. */
const WORDS: Readonly<Record<string, string>> = {
  solana: 'Solana',
  'embedded-ledger': 'embedded demo ledger',
  demo: 'demo feed — not a market price',
};

/** The name of what a figure was read from: a chain, or a market feed. */
export function sourceWords(source: string): string {
  return Object.hasOwn(WORDS, source) ? (WORDS[source] ?? source) : `${source} feed`;
}
