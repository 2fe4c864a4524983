import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useCallback, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import * as PATHS from '../../../data/contract/paths.ts';
import { fillVariables, MESSAGE_LIMITS } from '../../../data/model/conversation.ts';
import type { SubmissionKind } from '../../../data/model/submission-status.ts';
import { errorText } from '../../data/call-error.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { useChange } from '../admin/admin-calls.ts';
import { Failure } from '../admin/form-parts.tsx';
import { submitOnCtrlEnter } from '../admin-dashboard/shortcut-keys.ts';
import { Field, FieldFrame } from '../form/Field.tsx';
import form from '../form/form.module.css';
import styles from './conversation.module.css';
import {
  conversationQuery,
  type ReplyPreview,
  readPreview,
  removeFile,
  type StoredConversation,
  templatesQuery,
} from './conversation-calls.ts';
import { draftOf, EMPTY_DRAFT, type ReplyDraft, storeReplyDraft } from './drafts.ts';
import { ReplyFiles, useUploads } from './ReplyFiles.tsx';

interface ComposerProps {
  readonly conversation: StoredConversation;
  readonly kind: SubmissionKind;
  /** Null unless the record is a contact message. */
  readonly subject: string | null;
  readonly onClose: () => void;
}

const UNFINISHED_UPLOAD = 'A file is still uploading or failed to upload. Wait, or remove it.';
const NO_PREVIEW = 'The preview could not be loaded. Try again.';

const UNFILLED_LINE = /^(- *|…)$/m;

const newestIdOf = ({ messages }: StoredConversation) => messages.at(-1)?.id ?? null;

function answerSubject(subject: string | null): string {
  if (subject === null) return '';
  return (/^re:/i.test(subject) ? subject : `Re: ${subject}`).slice(0, MESSAGE_LIMITS.subject);
}

/** The form for a message to the record's sender. Ctrl+Enter or ⌘+Enter sends it. Closing the record keeps the draft. */
export default function Composer({ conversation, kind, subject: contactSubject, onClose }: ComposerProps) {
  const { referenceNumber, messages, variables, answersArrive } = conversation;
  const element = useRef<HTMLFormElement>(null);
  const initialSubject = answerSubject(messages.at(-1)?.subject ?? contactSubject);
  const [draft, setDraft] = useState(
    draftOf(referenceNumber) ?? {
      ...EMPTY_DRAFT,
      subject: initialSubject,
      after: newestIdOf(conversation),
    },
  );
  const [isSubmitted, setSubmitted] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [preview, setPreview] = useState<ReplyPreview | null>(null);
  const { isBusy, send } = useChange();
  const client = useQueryClient();
  const findField = useCallback(
    (name: string) =>
      element.current?.querySelector<HTMLInputElement | HTMLTextAreaElement>(`[name="${name}"]`),
    [],
  );
  const { data: templates = [] } = useQuery(templatesQuery());
  const availableTemplates = templates.filter(({ kinds }) => kinds === null || kinds.includes(kind));
  useEffect(() => {
    // If the record has a draft, this form opens with the record and must not take the focus.
    if (draftOf(referenceNumber) !== null) return;
    findField(findField('subject')?.value === '' ? 'subject' : 'text')?.focus({ preventScroll: true });
    element.current?.scrollIntoView();
  }, [referenceNumber, findField]);

  // Uploads read the newest draft from this ref when they end.
  const latestDraft = useRef(draft);
  const updateDraft = (changes: Partial<ReplyDraft>) => {
    const newDraft = { ...latestDraft.current, ...changes };
    latestDraft.current = newDraft;
    setDraft(newDraft);
    const isEmpty = newDraft.subject === '' && newDraft.text === '' && newDraft.files.length === 0;
    storeReplyDraft(referenceNumber, isEmpty ? null : newDraft);
  };
  const updateMessage = (changes: Partial<ReplyDraft>) => {
    setPreview(null);
    updateDraft(changes);
  };
  const uploads = useUploads(referenceNumber, draft.files, (file) =>
    updateDraft({ files: [...latestDraft.current.files, file] }),
  );
  const { subject, text, asks, files, after } = draft;
  /** Selects the first gap in the text, so that typing fills it in. */
  const selectGap = (filledText: string) => {
    const gap = UNFILLED_LINE.exec(filledText);
    if (gap === null) return;
    const end = gap.index + gap[0].length;
    // In an empty list item, the caret goes after the dash.
    findField('text')?.setSelectionRange(gap[0] === '…' ? gap.index : end, end);
  };
  const applyTemplate = (id: string) => {
    const filledTemplates = availableTemplates.map((one) => ({
      ...one,
      subject: fillVariables(one.subject, variables),
      text: fillVariables(one.text, variables).trimEnd(),
    }));
    const template = filledTemplates.find((one) => one.id === id);
    if (template === undefined) return;
    // An unedited template is recognized by its text, so that it is replaced even after the record was closed and opened again.
    const typedText = text.trimEnd();
    const lastText = filledTemplates.find((one) => typedText.endsWith(one.text))?.text ?? '';
    const ownText = typedText.slice(0, typedText.length - lastText.length).trim();
    const hasOwnSubject =
      !['', initialSubject].includes(subject) && filledTemplates.every((one) => one.subject !== subject);
    const newText = ownText === '' ? template.text : `${ownText}\n\n${template.text}`;
    flushSync(() =>
      updateMessage({
        subject: hasOwnSubject ? subject : template.subject,
        text: newText,
        asks: template.asks,
      }),
    );
    selectGap(newText);
  };
  const subjectError = subject.trim() === '' ? 'Enter a subject.' : null;
  const unfilledError = UNFILLED_LINE.test(text) ? 'Fill in the empty line in the template.' : null;
  const textError = text.trim() === '' ? 'Enter a message.' : unfilledError;
  /** Shows an error for each field that is not filled in, and focuses the first one. @returns whether there are no errors */
  const checkRequired = (): boolean => {
    setSubmitted(true);
    if (subjectError === null && textError === null) return true;
    findField(subjectError === null ? 'text' : 'subject')?.focus();
    if (subjectError === null) selectGap(text);
    return false;
  };
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy || !checkRequired()) return;
    if (uploads.items.length > 0) return setFailure(UNFINISHED_UPLOAD);
    const outcome = await send(PATHS.sendReply, {
      referenceNumber,
      kind: asks ? 'question' : 'reply',
      subject,
      text,
      after,
      files: files.map(({ id }) => id),
    });
    if (outcome === null) return;
    if (outcome.kind !== 'done') {
      setFailure(outcome.message);
      // After a conflict, the error asks the admin to read the newest message. The next attempt sends that message's id.
      if (outcome.kind === 'conflict')
        client
          .fetchQuery(conversationQuery(referenceNumber))
          .then((current) => {
            // By now, the form may have been closed and its draft discarded.
            if (element.current !== null) updateDraft({ after: newestIdOf(current) });
          })
          .catch(() => {});
      return;
    }
    storeReplyDraft(referenceNumber, null);
    onClose();
    void showToast({ title: 'Message queued', text: referenceNumber, kind: 'success' });
  };
  const showPreview = async () => {
    if (preview !== null) return setPreview(null);
    if (!checkRequired()) return;
    setFailure(null);
    try {
      const newPreview = await readPreview({ referenceNumber, subject, text });
      const { current } = latestDraft;
      // The message may have been edited in the meantime.
      if (current.subject === subject && current.text === text) setPreview(newPreview);
    } catch (error) {
      setFailure(errorText(error, NO_PREVIEW));
    }
  };
  return (
    <form
      ref={element}
      className={`${form.form} ${styles.composer}`}
      aria-label="New message"
      onSubmit={(event) => void submit(event)}
      onKeyDown={submitOnCtrlEnter}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault();
      }}
      onDrop={(event) => {
        const droppedFiles = event.dataTransfer.files;
        if (droppedFiles.length === 0) return;
        // By default, the browser would leave the page and show the file.
        event.preventDefault();
        uploads.add(droppedFiles);
      }}
      onPaste={({ clipboardData: { types, files: pastedFiles } }) => {
        // Office programs copy text together with a picture of the text. The picture is not attached.
        if (!types.includes('text/plain')) uploads.add(pastedFiles);
      }}
      noValidate
    >
      {availableTemplates.length === 0 ? null : (
        <FieldFrame id="reply-template" label="Template" optional error={null}>
          {(wiring) => (
            <select
              {...wiring}
              className={form.lines}
              defaultValue=""
              onChange={({ target }) => applyTemplate(target.value)}
            >
              <option value="">None</option>
              {availableTemplates.map(({ id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
            </select>
          )}
        </FieldFrame>
      )}
      <Field
        id="reply-subject"
        name="subject"
        label="Subject"
        hint="The reference number is added automatically."
        value={subject}
        error={isSubmitted ? subjectError : null}
        maxLength={MESSAGE_LIMITS.subject}
        onValue={(value) => updateMessage({ subject: value })}
      />
      <Field
        id="reply-text"
        name="text"
        label="Message"
        hint={
          answersArrive
            ? 'Sent by email. Replies appear here.'
            : 'Sent by email. Replies go to the support mailbox, not to this record.'
        }
        value={text}
        error={isSubmitted ? textError : null}
        rows={10}
        maxLength={MESSAGE_LIMITS.reply}
        onValue={(value) => updateMessage({ text: value })}
      />
      <ReplyFiles
        files={files}
        uploads={uploads}
        onRemove={(id) => updateDraft({ files: files.filter((file) => file.id !== id) })}
      />
      <label className={styles.asks}>
        <input
          type="checkbox"
          checked={asks}
          onChange={({ target }) => updateDraft({ asks: target.checked })}
        />
        <span>Ask for more information: the record waits for an answer</span>
      </label>
      {failure === null ? null : <Failure message={failure} />}
      {preview === null ? null : <Preview preview={preview} />}
      <p className={form.actions}>
        <button type="submit" className="button gold" aria-disabled={isBusy}>
          {isBusy ? 'Sending...' : 'Send'} <kbd>Ctrl Enter</kbd>
        </button>
        <button
          type="button"
          className="button"
          aria-expanded={preview !== null}
          onClick={() => void showPreview()}
        >
          {preview === null ? 'Preview' : 'Close preview'}
        </button>
        <button
          type="button"
          className="button"
          onClick={() => {
            for (const { id } of files) removeFile(id);
            storeReplyDraft(referenceNumber, null);
            onClose();
          }}
        >
          Discard
        </button>
      </p>
    </form>
  );
}

/** The sandboxed frame runs no scripts. */
function Preview({ preview: { subject, html, text, to, replyTo } }: { readonly preview: ReplyPreview }) {
  return (
    <section className={styles.preview} aria-label="Preview">
      <dl>
        <div>
          <dt>To</dt>
          <dd>{to}</dd>
        </div>
        {replyTo === null ? null : (
          <div>
            <dt>Reply to</dt>
            <dd>{replyTo}</dd>
          </div>
        )}
        <div>
          <dt>Subject</dt>
          <dd>{subject}</dd>
        </div>
      </dl>
      <iframe title="The email" srcDoc={html} sandbox="" />
      <details>
        <summary>Plain text</summary>
        <pre>{text}</pre>
      </details>
    </section>
  );
}
