import { nextTab } from './next-tab.ts';

/**
 * Turns links to sections into tabs. Arrow keys, Home and End move between them. The URL fragment names the chosen
 * tab (none for the first), so a tab can be shared, and Back returns to the previous one. A fragment may also name a part of a
 * tab's section.
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

    const urlOf = (index: number) =>
      `${location.pathname}${location.search}${index === 0 ? '' : (links[index]?.hash ?? '')}`;

    for (const [index, link] of links.entries()) {
      const panel = panels[index];
      link.id ||= `${panel?.id}-tab`;
      link.parentElement?.setAttribute('role', 'presentation');
      link.setAttribute('role', 'tab');
      link.setAttribute('aria-controls', panel?.id ?? '');
      panel?.setAttribute('role', 'tabpanel');
      panel?.setAttribute('aria-labelledby', link.id);
      // A panel is focusable only if it contains nothing focusable.
      if (!panel?.querySelector('a, button, input, select, textarea, [tabindex]'))
        panel?.setAttribute('tabindex', '0');
      link.addEventListener('click', (event) => {
        event.preventDefault();
        choose(index, false);
        history.pushState(history.state, '', urlOf(index));
      });
      link.addEventListener('keydown', (event) => {
        const next = nextTab(event.key, index, links.length);
        if (next === null) return;
        event.preventDefault();
        choose(next, true);
        history.replaceState(history.state, '', urlOf(next));
      });
    }
    const chooseNamed = () => {
      const target = document.getElementById(location.hash.slice(1));
      const named = location.hash === '' ? 0 : panels.findIndex((panel) => panel?.contains(target));
      if (named < 0) return;
      choose(named, false);
      // The browser could not scroll to a part of a hidden panel.
      if (target && !panels.includes(target)) target.scrollIntoView();
    };
    choose(0, false);
    chooseNamed();
    window.addEventListener('popstate', chooseNamed);
    this.dataset.ready = '';
  }
}

export function startTabs(): void {
  customElements.define('tab-list', TabList);
}
