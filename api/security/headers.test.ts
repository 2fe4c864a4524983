import { describe, expect, it } from 'vitest';
import { type HeaderList, securityHeaders } from './headers.ts';

const OPTIONS = { publicOrigin: null, publicApiOrigin: null, inlineScriptHashes: [], pdfViewerHashes: [] };

function asObject(list: HeaderList): Record<string, string> {
  const names = list.filter((_, index) => index % 2 === 0);
  return Object.fromEntries(names.map((name, index) => [name.toLowerCase(), list[index * 2 + 1] ?? '']));
}

function directivesOf(policy: string | undefined): Record<string, string> {
  const parts = (policy ?? '').split(';').map((part) => part.trim().split(' '));
  return Object.fromEntries(parts.map(([name, ...sources]) => [name, sources.join(' ')]));
}

describe('the security headers', () => {
  it('allow a page its own origin and WebAssembly, and inline scripts only if their hashes are listed', () => {
    const { page } = securityHeaders({ ...OPTIONS, inlineScriptHashes: ["'sha256-abc='", "'sha256-def='"] });
    expect(directivesOf(asObject(page)['content-security-policy'])).toEqual({
      'default-src': "'self'",
      'script-src': "'self' 'wasm-unsafe-eval' 'sha256-abc=' 'sha256-def='",
      'script-src-attr': "'none'",
      'style-src': "'self' 'unsafe-inline'",
      'img-src': "'self' data: blob:",
      'connect-src': "'self' ws://localhost:*",
      'object-src': "'none'",
      'base-uri': "'self'",
      'form-action': "'self'",
      'frame-ancestors': "'none'",
    });
  });

  it('do not allow an API answer to load anything', () => {
    const { data } = securityHeaders(OPTIONS);
    expect(directivesOf(asObject(data)['content-security-policy'])).toMatchObject({
      'default-src': "'none'",
      'frame-ancestors': "'none'",
    });
  });

  it('allow the PDF frame to run its own script in an opaque origin, but to make no requests', () => {
    const headers = asObject(securityHeaders({ ...OPTIONS, pdfViewerHashes: ["'sha256-abc='"] }).pdfViewer);
    expect(directivesOf(headers['content-security-policy'])).toEqual({
      'default-src': "'none'",
      'script-src': "'wasm-unsafe-eval' 'sha256-abc='",
      'worker-src': 'blob:',
      'style-src': "'unsafe-inline'",
      'img-src': 'blob: data:',
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'self'",
      sandbox: 'allow-scripts',
    });
    expect(headers['x-frame-options']).toBe('SAMEORIGIN');
  });

  it.each([
    ['https://portal.example.com', true],
    ['http://portal.example.com', false],
    [null, false],
  ])('require https if the public origin is https: %s → %s', (publicOrigin, isRequired) => {
    const { page, data } = securityHeaders({ ...OPTIONS, publicOrigin });
    for (const list of [page, data]) expect('strict-transport-security' in asObject(list)).toBe(isRequired);
  });
});
