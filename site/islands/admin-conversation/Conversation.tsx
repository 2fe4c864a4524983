import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useRef, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { ATTACHMENT_REFUSALS, isOutgoing, typeName } from '../../../data/model/conversation.ts';
import type { SubmissionKind } from '../../../data/model/submission-status.ts';
import { ReadError } from '../admin/AdminPage.tsx';
import { useHasRole } from '../admin/admin-calls.ts';
import { OneDocument, sizeText } from '../admin-dashboard/Documents.tsx';
import { RetryDelivery } from '../admin-dashboard/list-cells.tsx';
import { useDialogKeys } from '../admin-dashboard/shortcut-keys.ts';
import { labelOf, Moment, Status } from '../admin-dashboard/status-labels.tsx';
import { Loading } from '../ui/ReadStates.tsx';
import styles from './conversation.module.css';
import { type ConversationMessage, conversationQuery } from './conversation-calls.ts';
import { draftOf } from './drafts.ts';

const Composer = lazy(() => import('./Composer.tsx'));

interface ConversationProps {
  readonly referenceNumber: string;
  readonly kind: SubmissionKind;
  /** The subject of the contact message; null for other kinds of records. */
  readonly subject: string | null;
  /** Whether the record was merged into another record, in which the conversation continues. */
  readonly isMerged: boolean;
}

/** The key `e` opens the form for a new message. */
export function Conversation({ referenceNumber, kind, subject, isMerged }: ConversationProps) {
  const mayWrite = useHasRole('reviewer') && !isMerged;
  const reading = useQuery(conversationQuery(referenceNumber));
  const { data } = reading;
  const [isWriting, setWriting] = useState(draftOf(referenceNumber) !== null);
  const section = useRef<HTMLElement>(null);
  useDialogKeys(section, (event) => {
    if (event.key !== 'e' || !mayWrite) return;
    event.preventDefault();
    setWriting(true);
  });
  const close = () => {
    setWriting(false);
    // Moves the focus into the record, so that the record's shortcut keys work again.
    section.current?.focus();
  };
  if (data !== undefined && data.messages.length === 0 && !mayWrite) return null;
  return (
    <section
      ref={section}
      tabIndex={-1}
      aria-labelledby="record-conversation"
      className={styles.conversation}
    >
      <h3 id="record-conversation">
        Conversation {data?.isWaiting ? <Status status="waiting" label="Waiting for an answer" /> : null}
      </h3>
      <ReadError reading={reading} what="the conversation" />
      {data === undefined ? (
        reading.error === null && (
          <p aria-busy="true">
            <Loading width={24} />
          </p>
        )
      ) : (
        <>
          {data.messages.length === 0 ? null : (
            <ol className={styles.thread}>
              {data.messages.map((message) => (
                <Message key={message.id} message={message} referenceNumber={referenceNumber} />
              ))}
            </ol>
          )}
          {!mayWrite ? null : isWriting ? (
            <Suspense>
              <Composer conversation={data} kind={kind} subject={subject} onClose={close} />
            </Suspense>
          ) : (
            <p>
              <button type="button" className="button" aria-keyshortcuts="e" onClick={() => setWriting(true)}>
                Write a message <kbd>e</kbd>
              </button>
            </p>
          )}
        </>
      )}
    </section>
  );
}

interface MessageProps {
  readonly message: ConversationMessage;
  readonly referenceNumber: string;
}

function Message({ message, referenceNumber }: MessageProps) {
  const { kind, at, by, sender, isFromOther, subject, text, attachments, delivery } = message;
  const isOurs = isOutgoing(kind);
  return (
    <li className={styles.message} data-direction={isOurs ? 'out' : 'in'}>
      <p className={styles.head}>
        <strong>{isOurs ? by : sender}</strong>
        <Moment at={at} />
        {kind === 'question' ? <Status status="question" label="Question" /> : null}
        {kind === 'automatic-answer' ? <Status status="automatic" label="Automatic" /> : null}
        {isFromOther ? <Status status="other-address" label="From another address" /> : null}
        {delivery === null ? null : (
          <Status
            status={delivery.state}
            label={delivery.state === 'waiting' ? 'In the queue' : labelOf(delivery.state)}
          />
        )}
        {delivery?.state === 'dead' ? (
          <RetryDelivery deliveryId={delivery.id} referenceNumber={referenceNumber} />
        ) : null}
      </p>
      <p className={styles.subject}>{subject}</p>
      <p className={styles.text}>{text}</p>
      {attachments.length === 0 ? null : (
        <ul className={styles.attachments} aria-label="Attachments">
          {attachments.map((attachment, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the attachments of a message never change their order
            <li key={index}>
              <Attachment attachment={attachment} />
            </li>
          ))}
        </ul>
      )}
      {delivery?.error ? <p className={styles.error}>{delivery.error}</p> : null}
    </li>
  );
}

function Attachment({ attachment }: { readonly attachment: ConversationMessage['attachments'][number] }) {
  const maySee = useHasRole('reviewer');
  const { fileName, mediaType, byteLength, fileId, refusal } = attachment;
  if (fileId !== null && maySee) {
    const fileProperties = { fileName, mediaType, byteLength };
    return <OneDocument {...fileProperties} path={`${PATHS.conversationFile}?id=${fileId}`} />;
  }
  if (fileId !== null) return `${fileName} (${sizeText(byteLength)})`;
  const refusalText = refusal === null ? '' : `: ${ATTACHMENT_REFUSALS[refusal]}`;
  return `${fileName} (${typeName(mediaType)}, ${sizeText(byteLength)}) was not stored${refusalText}.`;
}
