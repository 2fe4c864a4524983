/** A market feed's name as it is shown; the demonstration feed is called what it is. */
export function feedLabel(source: string): string {
  return source === 'demo' ? 'demo feed — not a market price' : `${source} feed`;
}
