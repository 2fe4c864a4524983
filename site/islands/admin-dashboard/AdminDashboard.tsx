import { lazy, Suspense, useEffect, useState } from 'react';
import { isLoggedOut, LOGIN, loginUrl, useSignedIn } from '../admin/admin-session.ts';
import { useActive } from '../admin-frame/use-active.ts';
import { LiveRoot } from '../ui/Live.tsx';
import { LoadingText } from '../ui/ReadStates.tsx';
import styles from './dashboard.module.css';
import { useDashboard } from './dashboard-route.ts';
import { Overview } from './Overview.tsx';
import type { Opening } from './RecordList.tsx';

// Loaded when first used.
const RecordList = lazy(() => import('./RecordList.tsx'));
const RecordDialog = lazy(() => import('./RecordDialog.tsx'));

/**
 * The admin dashboard. Without a session, it redirects to the login, which returns to the open list. After a logout, the
 * login does not return there, so that the next admin does not see what was searched for.
 */
export default function AdminDashboard() {
  const signedIn = useSignedIn();
  useEffect(() => {
    if (signedIn === 'signed-out') location.replace(isLoggedOut() ? LOGIN : loginUrl(location));
  }, [signedIn]);
  return (
    <LiveRoot>
      {signedIn === 'signed-in' ? <SignedInDashboard /> : <p className="script-only">Loading...</p>}
    </LiveRoot>
  );
}

function SignedInDashboard() {
  const dashboard = useDashboard();
  const [opening, setOpening] = useState<Opening | null>(null);
  const { tab, list, record } = dashboard.route;
  const isActive = useActive();

  const open = (next: Opening) => {
    setOpening(next);
    dashboard.open(next.reference);
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
          />
        </Suspense>
      )}
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
      </Suspense>
    </div>
  );
}
