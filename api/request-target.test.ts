import { describe, expect, it } from 'vitest';
import { originForm } from './request-target.ts';

describe('a request’s target', () => {
  it.each([
    ['/', '/'],
    ['/a?b', '/a?b'],
    ['//host/a', '//host/a'],
    ['http://host/a?b', '/a?b'],
    ['https://host', '/'],
  ])('%s is %s', (target, path) => {
    expect(originForm(target)).toBe(path);
  });

  it.each(['', '*', 'a', 'host:443', 'ftp://host/a', 'http://', 'http://[', 'javascript:1'])(
    '%s names no path',
    (target) => {
      expect(originForm(target)).toBeNull();
    },
  );
});
