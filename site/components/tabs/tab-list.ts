import { nextTab } from './next-tab.ts';

/**
 * Tabs over sections that stand one below the other until this script runs. Arrow keys, Home and End move between them.
 */
class TabList extends HTMLElement {
  connectedCallback(): void {
    const links = [...this.querySelectorAll<HTMLAnchorElement>('[data-tabs] a')];
    const panels = links.map((link) => this.querySelector<HTMLElement>(link.hash));
    const list = this.querySelector('[data-tabs]');
    if (!list || panels.includes(null)) return;
    list.setAttribute('role', 'tablist');

    const choose = (chosen: number, focus: boolean) => {
      for (const [index, link] of links.entries()) {
        const selected = index === chosen;
        link.setAttribute('aria-selected', String(selected));
        link.tabIndex = selected ? 0 : -1;
        panels[index]?.toggleAttribute('hidden', !selected);
        if (selected && focus) link.focus();
      }
    };

    for (const [index, link] of links.entries()) {
      const panel = panels[index];
      link.id ||= `${panel?.id}-tab`;
      link.parentElement?.setAttribute('role', 'presentation');
      link.setAttribute('role', 'tab');
      link.setAttribute('aria-controls', panel?.id ?? '');
      panel?.setAttribute('role', 'tabpanel');
      panel?.setAttribute('aria-labelledby', link.id);
      panel?.setAttribute('tabindex', '0');
      link.addEventListener('click', (event) => {
        event.preventDefault();
        choose(index, false);
      });
      link.addEventListener('keydown', (event) => {
        const next = nextTab(event.key, index, links.length);
        if (next === null) return;
        event.preventDefault();
        choose(next, true);
      });
    }
    const named = links.findIndex(({ hash }) => hash === location.hash);
    choose(Math.max(0, named), false);
    this.dataset.ready = '';
  }
}

/** Brings the page's tabs to life. */
export function startTabs(): void {
  customElements.define('tab-list', TabList);
}
