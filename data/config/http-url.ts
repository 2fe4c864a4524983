/** Whether a text is an http(s) URL that a request can be sent to: those that carry a user and a password are refused. */
export function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
