const LONGEST_WORDS = 200;
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;
const URLS = /\b[a-z][a-z0-9+.-]*:\/\/\S+/giu;

/**
 * Makes a server's words fit for logs, health and stored rows: without URLs, without whatever of the endpoint's own URL may
 * be a key, without control characters, and at most 200 characters long.
 */
export function redactor(url: string): (words: string) => string {
  const { pathname, search, searchParams, username, password } = new URL(url);
  const secrets = [
    ...pathname.split('/'),
    ...search.split(/[?&=]/),
    ...searchParams.values(),
    username,
    password,
  ]
    .flatMap((part) => [part, decoded(part)])
    .filter((part) => part.length >= 6);
  return (words) => {
    // A key may stand where a control character was put into it, or where the cut would leave its beginning.
    const plain = words.replaceAll(CONTROL_CHARACTERS, ' ').replaceAll(URLS, '…');
    return secrets.reduce((text, secret) => text.replaceAll(secret, '…'), plain).slice(0, LONGEST_WORDS);
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
