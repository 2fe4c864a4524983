/** Plain decimal text with its whole part grouped and nothing rounded: `'1499999.5'` → `'1,499,999.5'`. */
export function groupedAmount(decimalText: string): string {
  const [whole = '', fraction] = decimalText.split('.');
  const digits = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? digits : `${digits}.${fraction}`;
}
