import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listOf } from '../../../data/model/admin-lists.ts';
import { formatCount } from '../../../data/model/count.ts';
import { ReadError } from '../admin/AdminPage.tsx';
import { workQuery } from '../admin/admin-calls.ts';
import { LoadingText } from '../ui/ReadStates.tsx';
import { Due } from './Due.tsx';
import styles from './dashboard.module.css';
import type { Opening } from './RecordList.tsx';
import work from './work.module.css';

const FILTERS = [
  { id: 'mine', label: 'Mine', query: { assignee: 'me' } },
  { id: 'nobody', label: 'Unassigned', query: { assignee: 'nobody' } },
  { id: 'overdue', label: 'Overdue', query: { due: 'overdue' } },
] as const;

interface MyWorkProps {
  readonly isActive: boolean;
  readonly onOpen: (opening: Opening) => void;
}

/** The records of all kinds that wait for the admin, for nobody yet, or for too long; those due first come first. */
export function MyWork({ isActive, onOpen }: MyWorkProps) {
  const [chosen, setChosen] = useState<(typeof FILTERS)[number]>(FILTERS[0]);
  const reading = useQuery(workQuery(chosen.query, isActive));
  const { data } = reading;
  const queue = data?.work.map(({ referenceNumber }) => referenceNumber) ?? [];
  return (
    <section aria-labelledby="my-work" className={work.mine}>
      <div className={styles.head}>
        <h2 id="my-work">My work</h2>
        <div className={work.filters}>
          {FILTERS.map((filter) => (
            <button
              key={filter.id}
              type="button"
              className="button"
              aria-pressed={filter.id === chosen.id}
              onClick={() => setChosen(filter)}
            >
              {filter.label}
            </button>
          ))}
        </div>
      </div>
      <ReadError reading={reading} what="My work" />
      {data === undefined ? (
        reading.error === null && <LoadingText />
      ) : data.work.length === 0 ? (
        <p className={styles.empty}>Nothing waits here.</p>
      ) : (
        <ul className={work.work}>
          {data.work.map(({ referenceNumber, list, name, subject, assignee, dueAt }) => (
            <li key={referenceNumber}>
              <button
                type="button"
                data-opens={referenceNumber}
                onClick={() => onOpen({ reference: referenceNumber, queue, begin: null })}
              >
                <span>{listOf(list).recordTitle}</span>
                <span>{subject === null ? name : `${name}: ${subject}`}</span>
                <span>{assignee ?? 'Nobody'}</span>
                <Due at={dueAt} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {data !== undefined && data.total > data.work.length ? (
        <p className={styles.empty}>
          The first {data.work.length} of {formatCount(data.total)}.
        </p>
      ) : null}
    </section>
  );
}
