import type { KeyboardEvent, ReactNode } from 'react';
import { nextTab } from '../../components/tabs/next-tab.ts';
import styles from './admin-desk.module.css';
import { firstView } from './desk-address.ts';
import type { Desk } from './desk-place.ts';
import { DESK_TABS, type DeskTab, TAB_NAMES } from './list-terms.ts';

/** The address of a tab as it begins. */
export function tabAddress(tab: DeskTab) {
  return { tab, record: null, list: tab === 'overview' ? null : firstView(tab) };
}

/** The tabs of the dashboard; arrow keys, Home and End move between them. */
export function DeskTabs({ desk, children }: { readonly desk: Desk; readonly children: ReactNode }) {
  const { tab } = desk.address;
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const next = nextTab(event.key, DESK_TABS.indexOf(tab), DESK_TABS.length);
    const to = next === null ? undefined : DESK_TABS[next];
    if (to === undefined) return;
    event.preventDefault();
    desk.show(tabAddress(to));
    document.getElementById(`${to}-tab`)?.focus();
  };
  return (
    <>
      <div className={styles.tabs}>
        <div role="tablist" aria-label="Admin" onKeyDown={onKeyDown}>
          {DESK_TABS.map((one) => (
            <button
              key={one}
              type="button"
              role="tab"
              id={`${one}-tab`}
              aria-selected={one === tab}
              aria-controls="desk-panel"
              tabIndex={one === tab ? 0 : -1}
              onClick={() => desk.show(tabAddress(one))}
            >
              {TAB_NAMES[one]}
            </button>
          ))}
        </div>
        <p>
          <a href="/admin/journal">Audit & assistant</a>
          <a href="/admin/erasure">Erase data</a>
          <a href="/admin/account">Team & security</a>
        </p>
      </div>
      <div role="tabpanel" id="desk-panel" aria-labelledby={`${tab}-tab`} className={styles.panel}>
        {children}
      </div>
    </>
  );
}
