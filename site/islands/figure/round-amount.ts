import { formatAbbreviated } from '../../../data/model/format.ts';

/** An abbreviated amount without the zeros that say nothing: `'990000000'` → `'990M'`, `'46600000'` → `'46.6M'`. */
export function formatRound(decimalText: string): string {
  return formatAbbreviated(decimalText).replace(/\.?0+(?=[KM]?$)/, '');
}
