import type { RestoreOutcome } from '../../data/store/sqlite/restored-store.ts';

export function restoreReport(
  outcome: RestoreOutcome & {
    readonly hasReplaced: boolean;
    readonly movedTo: string;
    readonly isAuthentic: boolean;
    readonly erasuresWithOtherKey: number;
    readonly skippedLists: readonly string[];
  },
): string {
  const { lockedAccounts, erasuresLost, erasuresWithOtherKey, skippedLists } = outcome;
  const lines: readonly (string | false)[] = [
    !outcome.isAuthentic && 'WARNING: the copy has no valid tag, so its content may have been changed.',
    !outcome.isTrailIntact && 'WARNING: the audit trail in the copy was altered. Run: npm run audit:trail',
    `Head of the audit trail in the copy: ${outcome.copyHead ?? 'none'}`,
    `Head of the audit trail in the replaced file: ${outcome.replacedHead ?? 'unknown'}`,
    'Both are recorded in the audit trail as store.restored.',
    `Sessions ended: ${outcome.sessionsEnded}. Everyone has to sign in again.`,
    `Passkeys removed, because they were or may have been removed after the copy was made: ${outcome.passkeysRemoved}`,
    `Team invitations and password reset links ended, because they were or may have been used or withdrawn after the copy was made: ${outcome.linksEnded}`,
    `Loan applications that keep their documents, because they may have been confirmed or decided after the copy was made: ${outcome.confirmationsKept}`,
    `Erasures repeated: ${outcome.erasuresRepeated}`,
    skippedLists.length > 0 &&
      `WARNING: these lists of erasures were not read, so erasures that are only in them are not repeated: ${skippedLists.join(', ')}`,
    erasuresWithOtherKey > 0 &&
      `WARNING: ${erasuresWithOtherKey} erasures in erasures.jsonl need a different document key and cannot be repeated. Erase the data of these people again.`,
    erasuresLost === null &&
      outcome.hasReplaced &&
      'WARNING: the replaced file is damaged, was changed or is from another version, so it is not known what changed after the copy was made. Erasures that are only in that file are not repeated: erase the data of those people again.',
    erasuresLost !== null &&
      erasuresLost > 0 &&
      `WARNING: ${erasuresLost} erasures in the replaced file are neither in the copy nor in erasures.jsonl. Erase the data of these people again.`,
    ...(lockedAccounts.length === 0
      ? ['Passwords or second factors changed since the copy: none.']
      : [
          `Accounts whose password was invalidated, because it or a second factor may have been changed after the copy was made: ${lockedAccounts.length}`,
          'Set new passwords before you start the portal:',
          ...lockedAccounts.map((name) => `  npm run admin -- reset-password --username ${name}`),
        ]),
    'Emails that were queued when the copy was made will be sent again.',
    'If the portal reads a mailbox, open it and mark as unread the emails that arrived after the copy was made, except those from people whose data has been erased since then. The portal then stores the emails that it lacks.',
    outcome.hasReplaced && `The replaced file was moved to ${outcome.movedTo}. It is deleted after 14 days.`,
  ];
  return lines
    .filter((line) => line !== false)
    .map((line) => `${line}\n`)
    .join('');
}
