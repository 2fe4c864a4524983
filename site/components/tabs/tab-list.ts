import { nextTabIndex } from './next-tab.ts';

/**
 * Turns links to sections into tabs. Arrow keys, Home and End move between them. The URL fragment is the id of the selected
 * tab's section (empty for the first), so a link can open a tab. The fragment can also be the id of an element in a
 * section. A click adds a history entry, so Back returns to the previous tab.
 */
class TabList extends HTMLElement {
  connectedCallback(): void {
    const links = [...this.querySelectorAll<HTMLAnchorElement>('[data-tabs] a')];
    const panels = links.map((link) => this.querySelector<HTMLElement>(link.hash));
    const list = this.querySelector('[data-tabs]');
    if (!list || panels.includes(null)) return;
    list.setAttribute('role', 'tablist');

    const selectTab = (selectedIndex: number, movesFocus: boolean) => {
      for (const [index, link] of links.entries()) {
        const isSelected = index === selectedIndex;
        link.setAttribute('aria-selected', String(isSelected));
        link.tabIndex = isSelected ? 0 : -1;
        panels[index]?.toggleAttribute('hidden', !isSelected);
        if (isSelected && movesFocus) link.focus();
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
        selectTab(index, false);
        history.pushState(history.state, '', urlOf(index));
      });
      link.addEventListener('keydown', (event) => {
        const nextIndex = nextTabIndex(event.key, index, links.length, document.dir);
        if (nextIndex === null) return;
        event.preventDefault();
        selectTab(nextIndex, true);
        history.replaceState(history.state, '', urlOf(nextIndex));
      });
    }
    const selectLinkedTab = () => {
      const target = document.getElementById(location.hash.slice(1));
      const linkedIndex = location.hash === '' ? 0 : panels.findIndex((panel) => panel?.contains(target));
      if (linkedIndex < 0) return;
      selectTab(linkedIndex, false);
      // The browser could not scroll to the element while its panel was hidden.
      if (target && !panels.includes(target)) target.scrollIntoView();
    };
    selectTab(0, false);
    selectLinkedTab();
    window.addEventListener('popstate', selectLinkedTab);
    this.dataset.ready = '';
  }
}

export function startTabs(): void {
  customElements.define('tab-list', TabList);
}
