/**
 * The path and query of a request line's target, or null where it names none. A proxy may send the absolute form
 * (`http://host/path`, RFC 9112 section 3.2.2); the host in it is not looked at.
 */
export function originForm(target: string): string | null {
  if (target.startsWith('/')) return target;
  const url = URL.parse(target);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  return url.pathname + url.search;
}
