import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { useHasRole } from '../admin/admin-calls.ts';
import { isLoggedOut, LOGIN, loginUrl, useSignedIn } from '../admin/admin-session.ts';
import { useIsLive } from '../admin/live-changes.ts';
import { useActive } from '../admin-frame/use-active.ts';
import { LiveRoot } from '../ui/Live.tsx';
import { LoadingText } from '../ui/ReadStates.tsx';
import styles from './dashboard.module.css';
import { useDashboard } from './dashboard-route.ts';
import { Overview } from './Overview.tsx';
import panel from './panel.module.css';
import type { Opening } from './RecordList.tsx';
import { useWide } from './use-wide.ts';

// Loaded when first used.
const RecordList = lazy(() => import('./RecordList.tsx'));
const RecordDialog = lazy(() => import('./RecordDialog.tsx'));
const UndoToast = lazy(() => import('./UndoToast.tsx'));

/**
 * The admin dashboard. Without a session, it redirects to the login, which returns to the open list. After a logout, the login
 * does not return to the list, so that the next admin does not see the search.
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
  const mayDecide = useHasRole('reviewer');
  const isUsed = useActive();
  const isLive = useIsLive();
  // Without the stream, lists and figures are polled.
  const isActive = isUsed && !isLive;
  const isWide = useWide();
  const [isBusy, setBusy] = useState(false);

  const open = (next: Opening) => {
    // The record stays open until the outcome of its decision is shown.
    if (isBusy) return;
    setOpening(next);
    dashboard.open(next.reference);
  };
  const close = () => {
    // The back button may have closed the record already.
    if (dashboard.route.record !== null) dashboard.open(null);
  };
  const shown = useMemo((): Opening | null => {
    if (record === null || opening?.reference === record) return record === null ? null : opening;
    // A record opened from a URL has no queue.
    return { reference: record, queue: [], begin: null };
  }, [record, opening]);
  return (
    <div className={`${styles.dashboard} ${panel.split}`}>
      {tab === 'overview' || list === null ? (
        <div>
          <Overview dashboard={dashboard} isActive={isActive} onOpen={open} />
        </div>
      ) : (
        <Suspense fallback={<LoadingText />}>
          <RecordList
            key={tab}
            list={tab}
            view={list}
            dashboard={dashboard}
            isActive={isActive}
            isWide={isWide}
            onOpen={open}
            onClose={isBusy ? null : close}
          />
        </Suspense>
      )}
      <Suspense>
        {shown === null ? null : (
          <RecordDialog
            opening={shown}
            isBeside={isWide && list !== null}
            isBusy={isBusy}
            onBusy={setBusy}
            onGo={(reference) => open({ ...shown, reference, begin: null, isBrowsing: false })}
            onClose={close}
          />
        )}
      </Suspense>
      <Suspense>{mayDecide ? <UndoToast /> : null}</Suspense>
    </div>
  );
}
