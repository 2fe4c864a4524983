import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { useHasRole } from '../admin/admin-calls.ts';
import { isLoggedOut, LOGIN_PATH, loginUrl, useSignInState } from '../admin/admin-session.ts';
import { useIsLive } from '../admin/live-changes.ts';
import { hasDrafts } from '../admin-conversation/drafts.ts';
import { LiveRoot } from '../ui/Live.tsx';
import { LoadingText } from '../ui/ReadStates.tsx';
import styles from './dashboard.module.css';
import { useDashboard } from './dashboard-route.ts';
import { Overview } from './Overview.tsx';
import panel from './panel.module.css';
import type { RecordOpening } from './RecordList.tsx';
import { useIsWide } from './use-is-wide.ts';

const RecordList = lazy(() => import('./RecordList.tsx'));
const RecordDialog = lazy(() => import('./RecordDialog.tsx'));
const UndoToast = lazy(() => import('./UndoToast.tsx'));

/**
 * Without a session, the page redirects to the login, which then returns to the open list. After a logout, the login does not
 * return to the list, because the next admin would see the search text. Unsent messages, notes and reasons are only in memory.
 * If there are any when the session ends, the page does not redirect, but continues after a login in another tab.
 */
export default function AdminDashboard() {
  const signInState = useSignInState();
  const isKept = signInState === 'signed-out' && !isLoggedOut() && hasDrafts();
  useEffect(() => {
    if (signInState === 'signed-out' && !isKept)
      location.replace(isLoggedOut() ? LOGIN_PATH : loginUrl(location));
  }, [signInState, isKept]);
  return (
    <LiveRoot>
      {signInState === 'signed-in' ? (
        <SignedInDashboard />
      ) : isKept ? (
        <div className={styles.top} role="alert">
          <h1>Your session has ended</h1>
          <p>
            Your text is kept.{' '}
            <a href={loginUrl(location)} target="_blank" rel="noopener">
              Open the sign-in page in a new tab
            </a>
            .
          </p>
        </div>
      ) : (
        <p className="script-only">Loading...</p>
      )}
    </LiveRoot>
  );
}

function SignedInDashboard() {
  const dashboard = useDashboard();
  const [recordOpening, setRecordOpening] = useState<RecordOpening | null>(null);
  const { tab, view, openReference } = dashboard.route;
  const mayDecide = useHasRole('reviewer');
  const shouldPoll = !useIsLive();
  const isWide = useIsWide();
  const [isBusy, setBusy] = useState(false);

  const open = (next: RecordOpening) => {
    // The record stays open until the outcome of its decision is shown.
    if (isBusy) return;
    setRecordOpening(next);
    dashboard.open(next.reference);
  };
  const close = () => {
    // The back button may have closed the record already.
    if (dashboard.route.openReference !== null) dashboard.open(null);
  };
  const currentOpening = useMemo((): RecordOpening | null => {
    if (openReference === null || recordOpening?.reference === openReference)
      return openReference === null ? null : recordOpening;
    // If the URL opened the record, there is no list to step through.
    return { reference: openReference, queue: [], initialAction: null };
  }, [openReference, recordOpening]);
  return (
    <div className={`${styles.dashboard} ${panel.split}`}>
      {tab === 'overview' || view === null ? (
        <div>
          <Overview dashboard={dashboard} shouldPoll={shouldPoll} onOpen={open} />
        </div>
      ) : (
        <Suspense fallback={<LoadingText />}>
          <RecordList
            key={tab}
            list={tab}
            view={view}
            dashboard={dashboard}
            shouldPoll={shouldPoll}
            isWide={isWide}
            onOpen={open}
            onClose={isBusy ? null : close}
          />
        </Suspense>
      )}
      <Suspense>
        {currentOpening === null ? null : (
          <RecordDialog
            opening={currentOpening}
            isBeside={isWide && view !== null}
            isBusy={isBusy}
            onBusy={setBusy}
            onShowRecord={(reference) =>
              open({ ...currentOpening, reference, initialAction: null, isBrowsing: false })
            }
            onClose={close}
          />
        )}
      </Suspense>
      <Suspense>{mayDecide ? <UndoToast /> : null}</Suspense>
    </div>
  );
}
