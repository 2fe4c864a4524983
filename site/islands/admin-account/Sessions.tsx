import { useStore } from '@nanostores/react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { formatAge } from '../../../data/model/format.ts';
import { $now } from '../../data/ticking-clock.ts';
import { Loaded } from '../admin/AdminPage.tsx';
import { type OpenSession, sessionsQuery, useChange } from '../admin/admin-calls.ts';
import { Notice } from '../admin/form-parts.tsx';
import styles from './admin-account.module.css';

/** The order matters, because most user agents also name other browsers. */
const BROWSERS = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/\biP(?:hone|ad|od)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

/** The browser and operating system, such as `'Firefox on Windows'`. An unknown user agent is returned unchanged. */
export function browserName(userAgent: string): string {
  const findName = (names: readonly (readonly [RegExp, string])[]) =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = findName(BROWSERS);
  const system = findName(SYSTEMS);
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  return userAgent === '' ? 'Unknown' : userAgent;
}

export function Sessions() {
  const reading = useQuery(sessionsQuery());
  const { isBusy, notice, sendAndNotify } = useChange();
  const endSession = (id: string) =>
    void sendAndNotify(PATHS.revokeAdminSession, { id }, ({ ended }) =>
      ended === 1 ? 'Ended 1 session.' : `Ended ${ended} sessions.`,
    );
  const hasOthers = reading.data?.sessions.some(({ isOwn, isThis }) => isOwn && !isThis) ?? false;
  return (
    <section aria-labelledby="sessions">
      <div className={styles.head}>
        <h2 id="sessions">Sessions</h2>
        {hasOthers ? (
          <button type="button" className="button" disabled={isBusy} onClick={() => endSession('others')}>
            End all my other sessions
          </button>
        ) : null}
      </div>
      <div className={styles.notice}>
        <Notice notice={notice} />
      </div>
      <Loaded reading={reading} what="the sessions">
        {({ sessions }) => (
          <AccountTable
            caption="Open sessions"
            columns={['Admin', 'Browser', 'IP address', 'Opened', 'Last used']}
            action="End"
          >
            {sessions.map((session) => (
              <SessionRow key={session.id} session={session} isBusy={isBusy} onEnd={endSession} />
            ))}
          </AccountTable>
        )}
      </Loaded>
    </section>
  );
}

interface AccountTableProps {
  readonly caption: string;
  readonly columns: readonly string[];
  /** The heading of the last column: what the buttons in it do. */
  readonly action: string;
  readonly children: ReactNode;
}

export function AccountTable({ caption, columns, action, children }: AccountTableProps) {
  return (
    <table className="table stacked">
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
          <th scope="col">
            <span className="visually-hidden">{action}</span>
          </th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

/** The time since a moment (ISO 8601), such as `2 min ago`. */
export function Age({ at }: { readonly at: string }) {
  const now = useStore($now);
  return <time dateTime={at}>{formatAge(now - Date.parse(at))}</time>;
}

interface SessionRowProps {
  readonly session: OpenSession;
  readonly isBusy: boolean;
  readonly onEnd: (id: string) => void;
}

function SessionRow({ session, isBusy, onEnd }: SessionRowProps) {
  const browser = browserName(session.userAgent);
  return (
    <tr>
      <th scope="row">{session.username}</th>
      <td data-name="Browser">
        <span title={session.userAgent}>{browser}</span>
      </td>
      <td data-name="IP address">
        <span className={styles.address}>{session.address}</span>
      </td>
      <td data-name="Opened">
        <Age at={session.startedAt} />
      </td>
      <td data-name="Last used">
        <Age at={session.lastSeenAt} />
      </td>
      <td className={styles.buttonCell}>
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
