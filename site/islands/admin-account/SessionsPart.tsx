import { useStore } from '@nanostores/react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { formatAge } from '../../../data/model/format.ts';
import { faultText } from '../../data/call-fault.ts';
import { $now } from '../../data/ticking-clock.ts';
import { change, type OpenSession, sessionsQuery } from './account-calls.ts';
import styles from './admin-account.module.css';
import { browserName } from './browser-name.ts';
import { ChangeNotice } from './ChangeNotice.tsx';
import { useChange } from './use-change.ts';

/** Open sessions, and the way to end them. */
export function SessionsPart() {
  const client = useQueryClient();
  const { data, error } = useQuery(sessionsQuery());
  const ending = useChange();
  const end = (id: string) =>
    void ending.run(
      () => change('/api/admin/sessions/revoke', { id }),
      ({ ended }) => {
        void client.invalidateQueries(sessionsQuery());
        return ended === 1 ? 'One session has ended.' : `${ended} sessions have ended.`;
      },
    );
  const sessions = data?.sessions ?? [];
  const hasOthers = sessions.some(({ isOwn, isThis }) => isOwn && !isThis);
  return (
    <section aria-labelledby="sessions">
      <div className={styles.head}>
        <h2 id="sessions">Sessions</h2>
        {hasOthers ? (
          <button type="button" className="button" disabled={ending.isBusy} onClick={() => end('others')}>
            End All My Other Sessions
          </button>
        ) : null}
      </div>
      <div className={styles.notice}>
        <ChangeNotice state={ending.state} />
      </div>
      {data === undefined ? (
        <p role={error === null ? undefined : 'alert'}>
          {error === null ? 'Loading...' : faultText(error, 'The sessions could not be read.')}
        </p>
      ) : (
        <table className="table stacked">
          <caption className="visually-hidden">Open sessions</caption>
          <thead>
            <tr>
              {['Admin', 'Browser', 'Address', 'Opened', 'Last used', 'End'].map((name) => (
                <th key={name} scope="col">
                  {name === 'End' ? <span className="visually-hidden">{name}</span> : name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sessions.map((session) => (
              <SessionRow key={session.id} session={session} isBusy={ending.isBusy} onEnd={end} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

interface SessionRowProps {
  readonly session: OpenSession;
  readonly isBusy: boolean;
  readonly onEnd: (id: string) => void;
}

function SessionRow({ session, isBusy, onEnd }: SessionRowProps) {
  const now = useStore($now);
  const age = (at: string) => <time dateTime={at}>{formatAge(now - Date.parse(at))}</time>;
  const browser = browserName(session.userAgent);
  return (
    <tr>
      <th scope="row">{session.username}</th>
      <td data-name="Browser">
        <span title={session.userAgent}>{browser}</span>
      </td>
      <td data-name="Address">
        <span className={styles.address}>{session.address}</span>
      </td>
      <td data-name="Opened">{age(session.startedAt)}</td>
      <td data-name="Last used">{age(session.lastSeenAt)}</td>
      <td className={styles.act}>
        {session.isThis ? (
          <span className={styles.quiet}>This session</span>
        ) : (
          <button type="button" className="button" disabled={isBusy} onClick={() => onEnd(session.id)}>
            End<span className="visually-hidden">{` the session of ${session.username}, ${browser}`}</span>
          </button>
        )}
      </td>
    </tr>
  );
}
