import type { TrailCheck } from '../../data/store/rules/audit-chain.ts';

export function trailReport(
  { records, unlinked, head, broken, isExpectedHeadFound }: TrailCheck,
  expectedHead: string | undefined,
): { readonly text: string; readonly isIntact: boolean } {
  if (broken) {
    const reason = {
      unlinked: 'has no hash although earlier records have one',
      altered: 'does not follow from the record before it',
    }[broken.reason];
    const text = `The audit trail was changed: record ${broken.sequence} (${broken.id}) ${reason}. The ${records} records before it are intact. Compare the trail with a backup.`;
    return { text, isIntact: false };
  }
  if (expectedHead !== undefined && !isExpectedHeadFound) {
    const text = `The audit trail was changed: no record has the hash ${expectedHead}. The trail was truncated or rewritten. Compare it with a backup.`;
    return { text, isIntact: false };
  }
  const unlinkedText = unlinked === 0 ? '' : ` ${unlinked} of them are older than the hash chain.`;
  const headText =
    head === null
      ? ''
      : `\nHead: ${head}\nStore this head elsewhere. Pass it to a later check, so that the check also detects truncation.`;
  return { text: `The audit trail is intact: ${records} records.${unlinkedText}${headText}`, isIntact: true };
}
