/**
 * Takes the token of the one-time link out of the page's address, where nobody shall read it, bookmark it or send it on.
 * @returns null where the address holds none
 */
export function takeSetupToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return token === '' ? null : token;
}
