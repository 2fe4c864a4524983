import type { TrailCheck } from '../../data/store/sqlite/audit-chain.ts';

/** What an operator reads of a check, and whether the trail holds. */
export function trailReport(
  { records, unlinked, head, broken, isExpectedHeadFound }: TrailCheck,
  expectedHead: string | undefined,
): { readonly text: string; readonly holds: boolean } {
  if (broken) {
    const fault = {
      unlinked: 'has no link though the chain had begun',
      altered: 'does not follow from the record before it',
    }[broken.fault];
    const text = `The audit trail was changed: record ${broken.sequence} (${broken.id}) ${fault}. The ${records} before it hold. Compare with a backup.`;
    return { text, holds: false };
  }
  if (expectedHead !== undefined && !isExpectedHeadFound) {
    const text = `The audit trail was changed: its chain holds, but the record of the head ${expectedHead} is not in it. Its end was cut off, or it was written anew. Compare with a backup.`;
    return { text, holds: false };
  }
  const older = unlinked === 0 ? '' : ` ${unlinked} of them are older than the chain.`;
  const note =
    head === null
      ? ''
      : `\nHead: ${head}\nKeep it elsewhere: a later check with it also shows whether the end was cut off.`;
  return { text: `The audit trail holds: ${records} records.${older}${note}`, holds: true };
}
