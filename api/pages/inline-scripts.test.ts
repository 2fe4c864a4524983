import { describe, expect, it } from 'vitest';
import { inlineScriptHashes, inlineScripts, scriptHash } from './inline-scripts.ts';

describe('inline scripts', () => {
  it('hash as a browser does', () => {
    // The example of the CSP specification, section 8.3.
    expect(scriptHash("alert('Hello, world.');")).toBe(
      "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='",
    );
  });

  it.each([
    ['a plain one', '<script>a()</script>', ['a()']],
    ['with attributes', '<script type="module" data-x="1 > 0">a()</script>', ['a()']],
    ['unquoted', '<script type=module>a()</script>', ['a()']],
    ['in capitals, over lines', '<SCRIPT\n>\n a()\n</SCRIPT >', ['\n a()\n']],
    ['several', '<script>a()</script><p></p><script>b()</script>', ['a()', 'b()']],
    ['holding markup', '<script>x = "<p>" + "<script"</script>', ['x = "<p>" + "<script"']],
    ['an import map', '<script type="importmap">{}</script>', ['{}']],
    ['with carriage returns', '<script>a()\r\nb()\r</script>', ['a()\nb()\n']],
    ['of a data-src attribute', '<script data-src="x">a()</script>', ['a()']],
  ])('are found: %s', (_case, html, found) => {
    expect(inlineScripts(html)).toEqual(found);
  });

  it.each([
    ['with a source', '<script src="/a.js"></script>'],
    ['with a source and a type', '<script type="module" src="/_astro/a.js">ignored</script>'],
    ['data', '<script type="application/json">{"a":1}</script>'],
    ['linked data', '<script type="application/ld+json">{}</script>'],
    ['empty', '<script></script>'],
    ['another element', '<scripted>a()</scripted>'],
  ])('are not: %s', (_case, html) => {
    expect(inlineScripts(html)).toEqual([]);
  });

  it('are allowed each once, in an order that does not depend on the pages’', () => {
    const [one, two] = ['<script>a()</script>', '<script>b()</script><script>a()</script>'];
    expect(inlineScriptHashes([one, two])).toHaveLength(2);
    expect(inlineScriptHashes([two, one])).toEqual(inlineScriptHashes([one, two]));
  });
});
