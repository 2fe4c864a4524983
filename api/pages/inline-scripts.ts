import { createHash } from 'node:crypto';

/** Types of script element that a browser runs or obeys, and that a Content-Security-Policy therefore guards. */
const GUARDED_TYPES = new Set([
  '',
  'module',
  'text/javascript',
  'application/javascript',
  'importmap',
  'speculationrules',
]);

const SCRIPT = /<script\b((?:"[^"]*"|'[^']*'|[^'">])*)>([\s\S]*?)<\/script\b[^>]*>/gi;
const TYPE = /(?:^|\s)type\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;
const SOURCE = /(?:^|\s)src\s*=/i;

/** The text of every inline script of a page that a Content-Security-Policy guards. */
export function inlineScripts(html: string): readonly string[] {
  const scripts: string[] = [];
  // A browser hashes what its parser hands on, which has plain line feeds.
  const text = html.replace(/\r\n?/g, '\n');
  for (const [, attributes = '', content = ''] of text.matchAll(SCRIPT)) {
    const [, double, single, bare] = TYPE.exec(attributes) ?? [];
    const type = (double ?? single ?? bare ?? '').trim().toLowerCase();
    if (!SOURCE.test(attributes) && GUARDED_TYPES.has(type) && content !== '') scripts.push(content);
  }
  return scripts;
}

/** A script as a CSP source: `'sha256-…'`. */
export function scriptHash(content: string): string {
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
}

/** The CSP sources of all inline scripts of some pages, each once, in a fixed order. */
export function inlineScriptHashes(pages: Iterable<string>): readonly string[] {
  const hashes = new Set<string>();
  for (const html of pages) {
    for (const content of inlineScripts(html)) hashes.add(scriptHash(content));
  }
  return [...hashes].sort();
}
