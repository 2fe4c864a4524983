/** Names for endpoints, without path and query, which may hold a key: the host, numbered where several share it. */
export function endpointNames(urls: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return urls.map((url) => {
    const { host } = new URL(url);
    const times = (seen.get(host) ?? 0) + 1;
    seen.set(host, times);
    return times === 1 ? host : `${host} #${times}`;
  });
}
