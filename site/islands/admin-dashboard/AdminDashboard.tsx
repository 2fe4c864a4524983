import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { formatCount } from '../../../data/model/count.ts';
import { nextTab } from '../../components/tabs/next-tab.ts';
import { type DashboardStats, ownSessionQuery, statsQuery } from '../admin/admin-calls.ts';
import { LOGIN, loginUrl, logOut, readAdminSession, useSignedIn } from '../admin/admin-session.ts';
import { LiveRoot } from '../ui/Live.tsx';
import { LoadingText } from '../ui/ReadStates.tsx';
import CommandPalette, { type Command } from './CommandPalette.tsx';
import styles from './dashboard.module.css';
import { DASHBOARD_TABS, type Dashboard, tabLabel, tabRoute, useDashboard } from './dashboard-route.ts';
import { exportRows } from './exports.tsx';
import { useDashboardKeys } from './keys.ts';
import { Overview } from './Overview.tsx';
import type { Opening } from './RecordList.tsx';
import { useActive } from './use-active.ts';

// Loaded when first used. The palette is not, because it takes the keys that follow Ctrl+K at once.
const KeysHelp = lazy(() => import('./KeysHelp.tsx'));
const RecordList = lazy(() => import('./RecordList.tsx'));
const RecordDialog = lazy(() => import('./RecordDialog.tsx'));

/**
 * The admin dashboard. Without a session, it redirects to the login, which returns to the open list. After a logout, the
 * login does not return there, so that the next admin does not see what was searched for.
 */
export default function AdminDashboard() {
  const signedIn = useSignedIn();
  const isLeaving = useRef(false);
  useEffect(() => {
    if (signedIn === 'signed-out') location.replace(isLeaving.current ? LOGIN : loginUrl(location));
  }, [signedIn]);
  const leave = () => {
    isLeaving.current = true;
    return logOut();
  };
  return (
    <LiveRoot>
      {signedIn === 'signed-in' ? (
        <SignedInDashboard onLeave={leave} />
      ) : (
        <p className="script-only">Loading...</p>
      )}
    </LiveRoot>
  );
}

function SignedInDashboard({ onLeave }: { readonly onLeave: () => Promise<void> }) {
  const dashboard = useDashboard();
  const client = useQueryClient();
  const [opening, setOpening] = useState<Opening | null>(null);
  const [overlay, setOverlay] = useState<'palette' | 'keys' | null>(null);
  const focusReturn = useRef<string | null>(null);
  const { tab, list, record } = dashboard.route;
  const isActive = useActive();
  useDashboardKeys(setOverlay);

  const open = (next: Opening) => {
    setOpening(next);
    dashboard.open(next.reference);
  };
  const leave = async () => {
    await onLeave();
    client.clear();
  };
  const run = (command: Command) => {
    switch (command.kind) {
      case 'show':
        if (command.route.list !== null) focusReturn.current = '';
        return dashboard.show(command.route);
      case 'record':
        return open({ reference: command.reference, queue: [], begin: null });
      case 'export':
        return void exportRows(command.list, command.format);
      case 'team':
        return location.assign('/admin/account');
      case 'keys':
        return setOverlay('keys');
      case 'logout':
        return void leave();
    }
  };
  // A record opened from a URL has no queue.
  const shown: Opening | null =
    record === null
      ? null
      : opening?.reference === record
        ? opening
        : { reference: record, queue: [], begin: null };
  return (
    <div className={styles.dashboard}>
      <Welcome onPalette={() => setOverlay('palette')} onLogOut={() => void leave()} />
      <Tabs dashboard={dashboard} isActive={isActive}>
        {tab === 'overview' || list === null ? (
          <Overview dashboard={dashboard} isActive={isActive} onOpen={open} />
        ) : (
          <Suspense fallback={<LoadingText />}>
            <RecordList
              key={tab}
              list={tab}
              view={list}
              dashboard={dashboard}
              isActive={isActive}
              onOpen={open}
              focusReturn={focusReturn}
            />
          </Suspense>
        )}
      </Tabs>
      <Suspense>
        {shown === null ? null : (
          <RecordDialog
            opening={shown}
            onGo={(reference) => open({ ...shown, reference, begin: null })}
            onClose={() => {
              // The back button may have closed the dialog already.
              if (dashboard.route.record !== null) dashboard.open(null);
            }}
          />
        )}
        {overlay === 'palette' ? (
          <CommandPalette onRun={run} onClose={() => setOverlay((now) => (now === 'palette' ? null : now))} />
        ) : null}
        {overlay === 'keys' ? <KeysHelp onClose={() => setOverlay(null)} /> : null}
      </Suspense>
    </div>
  );
}

/** The number of records in each list that wait for a decision. */
function openRecords(stats: DashboardStats | undefined): Readonly<Record<string, number | undefined>> {
  return {
    applications: stats?.openApplications,
    'verification-requests': stats?.openRequests,
    'loan-applications': stats?.openLoans,
  };
}

interface TabsProps {
  readonly dashboard: Dashboard;
  readonly isActive: boolean;
  readonly children: ReactNode;
}

/** The tabs, each with the number of records that wait. The title of the page has their sum. */
function Tabs({ dashboard, isActive, children }: TabsProps) {
  const { tab } = dashboard.route;
  const { data } = useQuery(statsQuery(isActive));
  const open = openRecords(data);
  const sum = Object.values(open).reduce<number>((total, count) => total + (count ?? 0), 0);
  useEffect(() => {
    const title = document.title.replace(/^\(\d+\) /, '');
    document.title = sum === 0 ? title : `(${sum}) ${title}`;
  }, [sum]);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const next = nextTab(event.key, DASHBOARD_TABS.indexOf(tab), DASHBOARD_TABS.length);
    const to = next === null ? undefined : DASHBOARD_TABS[next];
    if (to === undefined) return;
    event.preventDefault();
    dashboard.show(tabRoute(to));
    document.getElementById(`${to}-tab`)?.focus();
  };
  return (
    <>
      <div className={styles.tabs}>
        <div role="tablist" aria-label="Admin" onKeyDown={onKeyDown}>
          {DASHBOARD_TABS.map((one) => (
            <button
              key={one}
              type="button"
              role="tab"
              id={`${one}-tab`}
              aria-selected={one === tab}
              aria-controls="dashboard-panel"
              tabIndex={one === tab ? 0 : -1}
              onClick={() => dashboard.show(tabRoute(one))}
            >
              {tabLabel(one)}
              {open[one] ? (
                <span className={styles.count}>
                  {formatCount(open[one])}
                  <span className="visually-hidden"> open</span>
                </span>
              ) : null}
            </button>
          ))}
        </div>
        <p>
          <a href="/admin/journal">Audit & assistant</a>
          <a href="/admin/erasure">Erase data</a>
          <a href="/admin/webhooks">Webhooks</a>
          <a href="/admin/account">Team & security</a>
        </p>
      </div>
      <div role="tabpanel" id="dashboard-panel" aria-labelledby={`${tab}-tab`} className={styles.panel}>
        {children}
      </div>
    </>
  );
}

function Welcome({ onPalette, onLogOut }: Readonly<Record<'onPalette' | 'onLogOut', () => void>>) {
  const { data } = useQuery(ownSessionQuery());
  const username = readAdminSession()?.user?.username ?? data?.user.username;
  return (
    <div className={styles.welcome}>
      <p>
        Welcome
        {username === undefined ? null : (
          <>
            , <strong>{username}</strong>
          </>
        )}
        {data === undefined ? null : <span className={styles.role}>{data.user.role}</span>}
      </p>
      <p>
        <button type="button" className="button" aria-keyshortcuts="Control+K Meta+K" onClick={onPalette}>
          Commands <kbd>Ctrl K</kbd>
        </button>
        <button type="button" className="button" onClick={onLogOut}>
          Logout
        </button>
      </p>
    </div>
  );
}
