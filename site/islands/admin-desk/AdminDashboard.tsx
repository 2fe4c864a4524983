import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { readAdminSession } from '../admin/admin-session.ts';
import { LOGIN, loginAddress } from '../admin/door-address.ts';
import { logOut as endOwnSession, ownSessionQuery } from '../admin/own-session.ts';
import { useSignedIn } from '../admin/use-admin-session.ts';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import styles from './admin-desk.module.css';
import type { Command } from './commands.ts';
import { DeskList, type Opening } from './DeskList.tsx';
import { DeskTabs, tabAddress } from './DeskTabs.tsx';
import { firstView } from './desk-address.ts';
import { type Desk, useDesk } from './desk-place.ts';
import { exportRows } from './ExportButtons.tsx';
import type { GoOnFrom } from './list-keys.ts';
import { APPLICATION_LIST, CONTACT_LIST, LOAN_LIST, LOG_LIST, REQUEST_LIST } from './list-plans.tsx';
import { Overview } from './Overview.tsx';
import { useDeskKeys } from './use-desk-keys.ts';

// What stands over the page is loaded when it is first opened.
const CommandPalette = lazy(() => import('./CommandPalette.tsx'));
const KeysHelp = lazy(() => import('./KeysHelp.tsx'));
const RecordDialog = lazy(() => import('./RecordDialog.tsx'));

/**
 * The admin's dashboard; whoever is not signed in, or is not any more, is led to the login and from there back to the
 * list that was open. Who logs out leaves no such way: what was searched for is nothing for who signs in next.
 */
export default function AdminDashboard() {
  const signedIn = useSignedIn();
  const isLeaving = useRef(false);
  useEffect(() => {
    if (signedIn === 'signed-out') location.replace(isLeaving.current ? LOGIN : loginAddress(location));
  }, [signedIn]);
  const logOut = () => {
    isLeaving.current = true;
    return endOwnSession();
  };
  return (
    <LiveRoot>
      {signedIn === 'signed-in' ? (
        <SignedInDesk endSession={logOut} />
      ) : (
        <p className="script-only">Loading...</p>
      )}
    </LiveRoot>
  );
}

type Overlay = 'palette' | 'keys' | null;

function SignedInDesk({ endSession }: { readonly endSession: () => Promise<void> }) {
  const desk = useDesk();
  const client = useQueryClient();
  const [opening, setOpening] = useState<Opening | null>(null);
  const [overlay, setOverlay] = useState<Overlay>(null);
  const goOnFrom = useRef<string | null>(null);
  const { record } = desk.address;
  useDeskKeys(setOverlay);

  const open = (next: Opening) => {
    setOpening(next);
    desk.open(next.reference);
  };
  const logOut = async () => {
    await endSession();
    client.clear();
  };
  const run = (command: Command) => {
    if ('tab' in command && command.tab !== 'overview') goOnFrom.current = '';
    switch (command.kind) {
      case 'tab':
        return desk.show(tabAddress(command.tab));
      case 'queue':
        return desk.show({
          tab: command.tab,
          record: null,
          list: { ...firstView(command.tab), filters: { status: 'received' } },
        });
      case 'search':
        return desk.show({
          tab: command.tab,
          record: null,
          list: { ...firstView(command.tab), q: command.text },
        });
      case 'record':
        return open({ reference: command.reference, queue: [], begin: null });
      case 'export':
        return void exportRows(command.type, command.format);
      case 'team':
        return location.assign('/admin/account');
      case 'keys':
        return setOverlay('keys');
      case 'logout':
        return void logOut();
    }
  };
  // An address that names a record opens it alone; else it is the one that was opened from its list.
  const shown: Opening | null =
    record === null
      ? null
      : opening?.reference === record
        ? opening
        : { reference: record, queue: [], begin: null };
  return (
    <div className={styles.desk}>
      <Welcome onPalette={() => setOverlay('palette')} onLogOut={() => void logOut()} />
      <DeskTabs desk={desk}>
        <Panel desk={desk} onOpen={open} goOnFrom={goOnFrom} />
      </DeskTabs>
      <Suspense>
        {shown === null ? null : (
          <RecordDialog
            opening={shown}
            onGo={(reference) => open({ ...shown, reference, begin: null })}
            onClose={() => {
              // Closed by the way back, there is nothing to close any more.
              if (desk.address.record !== null) desk.open(null);
            }}
            onHelp={() => setOverlay('keys')}
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

interface PanelProps {
  readonly desk: Desk;
  readonly onOpen: (opening: Opening) => void;
  readonly goOnFrom: GoOnFrom;
}

/** The list of the tab that the address names. */
function Panel({ desk, onOpen, goOnFrom }: PanelProps): ReactNode {
  const { tab, list } = desk.address;
  if (list === null) return <Overview desk={desk} onOpen={onOpen} />;
  const shared = { view: list, desk, onOpen, goOnFrom } as const;
  switch (tab) {
    case 'applications':
      return <DeskList key={tab} plan={APPLICATION_LIST} {...shared} />;
    case 'contacts':
      return <DeskList key={tab} plan={CONTACT_LIST} {...shared} />;
    case 'delivery-logs':
      return <DeskList key={tab} plan={LOG_LIST} {...shared} />;
    case 'verification-requests':
      return <DeskList key={tab} plan={REQUEST_LIST} {...shared} />;
    case 'loan-applications':
      return <DeskList key={tab} plan={LOAN_LIST} {...shared} />;
    default:
      return null;
  }
}

interface WelcomeProps {
  readonly onPalette: () => void;
  readonly onLogOut: () => void;
}

function Welcome({ onPalette, onLogOut }: WelcomeProps) {
  const { data } = useQuery(ownSessionQuery());
  const username = readAdminSession()?.user?.username ?? data?.user.username;
  return (
    <div className={styles.welcome}>
      <p>
        Welcome{username === undefined ? '' : ', '}
        {username === undefined ? null : <strong>{username}</strong>}
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
