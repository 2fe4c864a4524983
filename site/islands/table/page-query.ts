import { atom, onMount } from 'nanostores';

/** The query of the page's address, followed through the browser's history while a table is on the page. */
export const $pageQuery = atom('');

onMount($pageQuery, () => {
  if (typeof window === 'undefined') return;
  const read = () => $pageQuery.set(location.search);
  read();
  window.addEventListener('popstate', read);
  return () => window.removeEventListener('popstate', read);
});

/** Sets the page's query without loading it again. `push`: the way back leads here; `replace`: it does not. */
export function setPageQuery(query: string, how: 'push' | 'replace'): void {
  const address = `${location.pathname}${query}${location.hash}`;
  if (how === 'push') history.pushState(history.state, '', address);
  else history.replaceState(history.state, '', address);
  $pageQuery.set(query);
}
