import { focusManager, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, type MouseEvent, Suspense, useCallback, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import type { ExportFormat } from '../../../data/contract/admin-files.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import type { ListId } from '../../../data/model/admin-lists.ts';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import { errorText } from '../../data/call-error.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { ownSessionQuery, saveExport, statsQuery } from '../admin/admin-calls.ts';
import {
  adminFetch,
  logOut,
  readAdminSession,
  useSignInState,
  watchAdminSession,
} from '../admin/admin-session.ts';
import { useIsLive, useLiveStream } from '../admin/live-changes.ts';
import {
  DASHBOARD_PATH,
  type Dashboard,
  parseDashboardRoute,
  useDashboard,
} from '../admin-dashboard/dashboard-route.ts';
import { rowToFocus } from '../admin-dashboard/shortcut-keys.ts';
import { LiveRoot } from '../ui/Live.tsx';
import CommandPalette, { type Command } from './CommandPalette.tsx';
import styles from './frame.module.css';
import { countOpenRecords, entryIdAt, NAVIGATION_GROUPS } from './navigation.ts';
import { type Overlay, useFrameKeys } from './use-frame-keys.ts';
import { useIsActive } from './use-is-active.ts';

async function exportRows(list: ListId, format: ExportFormat): Promise<void> {
  try {
    await saveExport(list, format, await adminFetch('GET', `${PATHS.adminExport(list)}?format=${format}`));
    void showToast({ title: 'Export saved', text: `All rows, as ${format.toUpperCase()}.`, kind: 'success' });
  } catch (error) {
    void showToast({ title: 'Export failed', text: errorText(error, 'Try again.'), kind: 'failure' });
  }
}

// Loaded when first used. The palette is always loaded, because people type into it immediately after Ctrl+K.
const KeysHelp = lazy(() => import('./KeysHelp.tsx'));

/** Labels for the counts that do not count open records, by the id of the navigation entry. */
const COUNT_LABELS: Readonly<Record<string, string>> = {
  'delivery-logs': 'failed',
  overview: 'unread mentions',
};

export default function AdminNavigation({ path }: { readonly path: string }) {
  return (
    <LiveRoot>
      <Navigation path={path} />
    </LiveRoot>
  );
}

function closeMenu(): void {
  const menu = document.getElementById('admin-menu');
  if (menu?.matches(':popover-open')) menu.hidePopover();
}

/** Opens a URL. While the dashboard is open, its views and records open without a page load. */
function openUrl(href: string, path: string, dashboard: Dashboard): void {
  const [page, fragment = ''] = href.split('#');
  const route = parseDashboardRoute(fragment);
  if (path !== DASHBOARD_PATH || page !== DASHBOARD_PATH) location.assign(href);
  else if (route.openReference !== null) dashboard.open(route.openReference);
  else {
    // Moves the focus to the list once it has loaded.
    if (route.view !== null) rowToFocus.current = '';
    dashboard.show(route);
  }
}

function Navigation({ path }: { readonly path: string }) {
  const dashboard = useDashboard();
  const client = useQueryClient();
  const isSignedIn = useSignInState() === 'signed-in';
  useReloadForOtherAdmin();
  const isActive = useIsActive();
  const isLive = useIsLive();
  useLiveStream(isSignedIn && isActive);
  useEffect(() => {
    // While the admin is inactive, the page counts as unfocused, so that no query is polled or retried.
    focusManager.setFocused(isActive ? undefined : false);
    return () => focusManager.setFocused(undefined);
  }, [isActive]);
  const { data: stats } = useQuery({ ...statsQuery(!isLive), enabled: isSignedIn });
  const [overlay, setOverlay] = useState<Overlay | null>(null);
  const [earlyText, setEarlyText] = useState('');
  const openOverlay = useCallback(
    (next: Overlay) => {
      // Without a session, the palette has nothing to show.
      if (!isSignedIn) return;
      closeMenu();
      setOverlay(next);
    },
    [isSignedIn],
  );
  useFrameKeys(openOverlay);
  useEffect(() => {
    const text = isSignedIn ? globalThis.takeEarlyKeys?.() : null;
    if (typeof text !== 'string') return;
    setEarlyText(text);
    openOverlay('palette');
  }, [isSignedIn, openOverlay]);
  useCountInTitle(stats === undefined ? 0 : countOpenRecords(stats));

  const logOutAndClear = async () => {
    await logOut();
    client.clear();
  };
  const runCommand = (command: Command) => {
    switch (command.kind) {
      case 'open':
        return openUrl(command.href, path, dashboard);
      case 'export':
        return void exportRows(command.list, command.format);
      case 'export-view':
        return document.querySelector<HTMLElement>('[data-export-view]')?.click();
      case 'keys':
        return setOverlay('keys');
      case 'logout':
        return void logOutAndClear();
    }
  };
  const currentEntryId = entryIdAt(path, dashboard.route.tab);
  const onEntryClick = (event: MouseEvent, id: string) => {
    const isPlainClick = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (path !== DASHBOARD_PATH || !isPlainClick) return;
    const href = event.currentTarget.getAttribute('href') ?? '';
    if (!href.startsWith(`${DASHBOARD_PATH}#`)) return;
    event.preventDefault();
    dashboard.show(parseDashboardRoute(id));
    scrollTo(0, 0);
    closeMenu();
  };
  return (
    <>
      <button
        type="button"
        className={`${styles.commands} script-only`}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => openOverlay('palette')}
      >
        Search <kbd>Ctrl K</kbd>
      </button>
      <nav aria-label="Admin" className={styles.navigation}>
        {NAVIGATION_GROUPS.map(({ title, entries }) => (
          <div key={title}>
            <h2 id={`navigation-${title}`}>{title}</h2>
            <ul aria-labelledby={`navigation-${title}`}>
              {entries.map(({ id, label, href, icon, getCount }) => {
                const count = stats === undefined ? 0 : (getCount?.(stats) ?? 0);
                return (
                  <li key={id}>
                    <a
                      data-entry={id}
                      href={href}
                      aria-current={id === currentEntryId ? 'page' : undefined}
                      onClick={(event) => onEntryClick(event, id)}
                    >
                      <svg viewBox="0 0 16 16" aria-hidden="true">
                        <path d={icon} />
                      </svg>
                      <span>{label}</span>
                      {count === 0 ? null : (
                        <span className={styles.count} data-waiting={count}>
                          {formatCount(count)}
                          <span className="visually-hidden"> {COUNT_LABELS[id] ?? 'open'}</span>
                        </span>
                      )}
                    </a>
                  </li>
                );
              })}
            </ul>
          </div>
        ))}
      </nav>
      {isSignedIn ? <Account onLogOut={() => void logOutAndClear()} /> : null}
      {overlay === null
        ? null
        : // Outside the menu, because narrow screens hide the menu.
          createPortal(
            <Suspense>
              {overlay === 'palette' ? (
                <CommandPalette
                  earlyText={earlyText}
                  hasList={path === DASHBOARD_PATH && dashboard.route.view !== null}
                  onRun={runCommand}
                  onClose={() => {
                    setEarlyText('');
                    setOverlay((currentOverlay) => (currentOverlay === 'palette' ? null : currentOverlay));
                  }}
                />
              ) : (
                <KeysHelp onClose={() => setOverlay(null)} />
              )}
            </Suspense>,
            document.body,
          )}
    </>
  );
}

/** Reloads the page once another admin is signed in, because it shows the previous admin's data and keeps unsent texts. */
function useReloadForOtherAdmin(): void {
  useEffect(() => {
    let username: string | undefined;
    const check = () => {
      const newUsername = readAdminSession()?.user?.username ?? username;
      if (username !== undefined && newUsername !== username) location.reload();
      username = newUsername;
    };
    check();
    return watchAdminSession(check);
  }, []);
}

function useCountInTitle(count: number): void {
  useEffect(() => {
    const title = document.title.replace(/^\(\d+\) /, '');
    document.title = count === 0 ? title : `(${count}) ${title}`;
  }, [count]);
}

function Account({ onLogOut }: { readonly onLogOut: () => void }) {
  const { data } = useQuery(ownSessionQuery());
  const username = readAdminSession()?.user?.username ?? data?.user.username;
  return (
    <div className={styles.account}>
      <p>
        {username === undefined ? null : <strong>{username}</strong>}
        <span>{data?.user.role ?? ' '}</span>
      </p>
      <button type="button" className="button" onClick={onLogOut}>
        Logout
      </button>
    </div>
  );
}
