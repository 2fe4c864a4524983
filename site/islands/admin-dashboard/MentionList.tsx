import { useQuery } from '@tanstack/react-query';
import { listDefinition } from '../../../data/model/admin-lists.ts';
import { ReadError } from '../admin/AdminPage.tsx';
import { LoadingText } from '../ui/ReadStates.tsx';
import styles from './dashboard.module.css';
import mention from './mentions.module.css';
import type { RecordOpening } from './RecordList.tsx';
import { Moment } from './status-labels.tsx';
import { mentionsQuery } from './team-queries.ts';

interface MentionListProps {
  /** The CSS class of the work list. Importing its style sheet here would cost the page another request. */
  readonly className: string | undefined;
  readonly shouldPoll: boolean;
  readonly onOpen: (opening: RecordOpening) => void;
}

/** The notes that mention the admin, unread notes first. Opening a record marks the notes on it as read. */
export default function MentionList({ className, shouldPoll, onOpen }: MentionListProps) {
  const reading = useQuery(mentionsQuery(shouldPoll));
  const mentions = reading.data?.mentions;
  const queue = [...new Set(mentions?.map(({ referenceNumber }) => referenceNumber))];
  return (
    <>
      <ReadError reading={reading} what="the mentions" />
      {mentions === undefined ? (
        reading.error === null && <LoadingText />
      ) : mentions.length === 0 ? (
        <p className={styles.empty}>Nobody has mentioned you in a note.</p>
      ) : (
        <ul className={`${className} ${mention.list}`}>
          {mentions.map(({ noteId, referenceNumber, list, by, text, at, isRead }) => (
            <li key={noteId} data-mention={isRead ? 'read' : 'unread'}>
              <button
                type="button"
                data-opens={referenceNumber}
                onClick={() => onOpen({ reference: referenceNumber, queue, initialAction: null })}
              >
                <span>
                  {isRead ? null : <span className="visually-hidden">Unread: </span>}
                  {listDefinition(list).tab}
                </span>
                <span>
                  {by}: {text}
                </span>
                <Moment at={at} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
