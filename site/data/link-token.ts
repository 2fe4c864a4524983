/** Returns the token from a link, and removes it from the URL, so that nobody bookmarks or shares it. */
export function takeToken(name = 'token'): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get(name);
  if (token === null) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return token === '' ? null : token;
}
