/** Hundredths of a percent with their sign: `50n` → `'+0.50%'`, or with one place as a published example: `'+5.2%'`. */
export function signedPercent(hundredths: bigint, places: 1 | 2): string {
  const sign = hundredths > 0n ? '+' : hundredths < 0n ? '−' : '';
  const digits = (hundredths < 0n ? -hundredths : hundredths).toString().padStart(3, '0');
  const fraction = digits.slice(-2, places === 1 ? -1 : undefined);
  return `${sign}${digits.slice(0, -2)}.${fraction}%`;
}
