import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { MAX_MENTIONS, mentionedAdmins, mentionParts } from '../../../data/model/mentions.ts';
import { errorText } from '../../data/call-error.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { type StoredRecord, statsQuery, useChange, useHasRole } from '../admin/admin-calls.ts';
import { adminFetch } from '../admin/admin-session.ts';
import { useKeptText } from '../admin-conversation/drafts.ts';
import form from '../form/form.module.css';
import mention from './mentions.module.css';
import { NoteField } from './NoteField.tsx';
import styles from './record.module.css';
import { submitOnCtrlEnter, useDialogKeys } from './shortcut-keys.ts';
import { Moment } from './status-labels.tsx';
import { mentionableAdminsQuery, mentionsQuery } from './team-queries.ts';

type RecordNote = StoredRecord['notes'][number];

/** Returns a function that resolves to the ids of the admins whom a text mentions, or to an error message for the admin. */
function useFindMentions(): (text: string) => Promise<string[] | string> {
  const client = useQueryClient();
  return async (text) => {
    if (!text.includes('@')) return [];
    try {
      const { admins } = await client.fetchQuery(mentionableAdminsQuery());
      const mentionedIds = mentionedAdmins(text, admins).map(({ id }) => id);
      return mentionedIds.length > MAX_MENTIONS ? `Mention at most ${MAX_MENTIONS} admins.` : mentionedIds;
    } catch (error) {
      return errorText(error, 'The list of admins could not be loaded. Try again.');
    }
  };
}

/** Marks the admin's mentions on a record as read once they are shown, without fetching the record again. */
function useMarkMentionsRead(referenceNumber: string, isUnread: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isUnread) return;
    adminFetch('POST', PATHS.markMentionsRead, { payload: { referenceNumber } })
      .then(() => {
        for (const { queryKey } of [mentionsQuery(), statsQuery(false)])
          void client.invalidateQueries({ queryKey });
      })
      // After a failure, the mentions stay unread until the record is opened again.
      .catch(() => {});
  }, [client, referenceNumber, isUnread]);
}

function NoteText({ text, mentions }: Pick<RecordNote, 'text' | 'mentions'>) {
  const parts = mentionParts(
    text,
    mentions.map(({ username }) => username),
  );
  return parts.map((part) =>
    part.name === null ? (
      part.text
    ) : (
      <span key={part.start} className={mention.mention} data-mention={part.name}>
        {part.text}
      </span>
    ),
  );
}

function Note({ note, reference }: { readonly note: RecordNote; readonly reference: string }) {
  const { id, referenceNumber, at, by, isYours, text, changedAt, isRemoved, mentions, versions } = note;
  const { isBusy, notice, sendAndNotify, showError, clearNotice } = useChange();
  const findMentions = useFindMentions();
  const [draft, setDraft] = useState<string | null>(null);
  const send = async (newText: string | null) => {
    const idsOrError = newText === null ? [] : await findMentions(newText);
    if (typeof idsOrError === 'string') return showError(idsOrError);
    await sendAndNotify(
      PATHS.changeNote,
      { noteId: id, seen: text, text: newText, mentions: idsOrError },
      () => {
        setDraft(null);
        return null;
      },
    );
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    // Without this check, a second submit could look up mentions while the first is saved. It would then be sent, and fail as
    // outdated.
    if (isBusy) return;
    if (draft === null || draft.trim() === '')
      return showError('The note is empty. Enter some text, or remove the note.');
    void send(draft);
  };
  return (
    <>
      {draft === null ? (
        <p className={isRemoved ? styles.quiet : styles.lines}>
          {isRemoved ? 'Removed.' : <NoteText text={text} mentions={mentions} />}
        </p>
      ) : (
        <form className={form.form} onSubmit={submit} aria-label="Change note" noValidate>
          <NoteField
            id={`note-${id}`}
            value={draft}
            error={notice?.message ?? null}
            onValue={setDraft}
            label="Change the note"
            hint="The team can still read the earlier text."
          />
          <p className={form.actions}>
            <button type="submit" className="button" aria-disabled={isBusy}>
              Save
            </button>
            <button type="button" className="button" disabled={isBusy} onClick={() => void send(null)}>
              Remove
            </button>
            <button
              type="button"
              className="button"
              disabled={isBusy}
              onClick={() => {
                clearNotice();
                setDraft(null);
              }}
            >
              Cancel
            </button>
          </p>
        </form>
      )}
      <p className={styles.quiet}>
        {by}, <Moment at={at} />
        {referenceNumber === reference ? null : `, in ${referenceNumber}`}
        {changedAt === null ? null : (
          <>
            , {isRemoved ? 'removed' : 'changed'} <Moment at={changedAt} />
          </>
        )}{' '}
        {isYours && !isRemoved && draft === null ? (
          <button type="button" className="button" onClick={() => setDraft(text)}>
            Change<span className="visually-hidden"> note</span>
          </button>
        ) : null}
      </p>
      {versions.length === 0 ? null : (
        <details>
          <summary>Earlier versions ({versions.length})</summary>
          <ul className={styles.events}>
            {versions.map((version) => (
              <li key={`${version.at} ${version.text}`}>
                <p className={styles.lines}>{version.text}</p>
                <p className={styles.quiet}>
                  {by}, <Moment at={version.at} />
                </p>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** The key `t` moves the focus to the field for a new note. */
export function Notes({ stored: storedRecord }: { readonly stored: StoredRecord }) {
  const { notes, referenceNumber } = storedRecord;
  const mayWrite = useHasRole('reviewer');
  const { isBusy, send } = useChange();
  const findMentions = useFindMentions();
  useMarkMentionsRead(
    referenceNumber,
    notes.some(({ isUnread }) => isUnread),
  );
  const [text, setText] = useKeptText(`note ${referenceNumber}`, '');
  const [error, setError] = useState<string | null>(null);
  const element = useRef<HTMLFormElement>(null);
  useDialogKeys(element, (event) => {
    if (event.key !== 't') return;
    event.preventDefault();
    element.current?.querySelector('textarea')?.focus({ preventScroll: true });
    element.current?.scrollIntoView({ block: 'center' });
  });
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    // Without this check, a second submit could look up mentions while the first is saved. It would then be sent, and add the
    // note again.
    if (isBusy) return;
    if (text.trim() === '') return setError('Enter a note.');
    const idsOrError = await findMentions(text);
    if (typeof idsOrError === 'string') return setError(idsOrError);
    const outcome = await send(PATHS.addNote, { referenceNumber, text, mentions: idsOrError });
    if (outcome === null) return;
    setError(outcome.kind === 'done' ? null : outcome.message);
    if (outcome.kind !== 'done') return;
    setText('');
    void showToast({ title: 'Note added', text: referenceNumber, kind: 'success' });
  };
  if (notes.length === 0 && !mayWrite) return null;
  return (
    <section aria-labelledby="record-notes">
      <h3>
        <span id="record-notes">Notes</span> {mayWrite ? <kbd>t</kbd> : null}
      </h3>
      <ul className={styles.events}>
        {notes.map((note) => (
          <li
            key={note.id}
            data-note={note.isRemoved ? 'removed' : 'kept'}
            className={note.isUnread ? mention.unread : undefined}
          >
            <Note note={note} reference={referenceNumber} />
          </li>
        ))}
      </ul>
      {mayWrite ? (
        <form
          ref={element}
          className={form.form}
          onSubmit={(event) => void submit(event)}
          onKeyDown={submitOnCtrlEnter}
          aria-label="New note"
          noValidate
        >
          <NoteField
            id="record-note"
            value={text}
            error={error}
            onValue={setText}
            label="Add a note"
            hint="Only the team can see it. Type @ to mention somebody."
          />
          <p className={form.actions}>
            <button type="submit" className="button" aria-disabled={isBusy}>
              {isBusy ? 'Adding...' : 'Add note'} <kbd>Ctrl Enter</kbd>
            </button>
          </p>
        </form>
      ) : null}
    </section>
  );
}
