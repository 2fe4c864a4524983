import { describe, expect, it } from 'vitest';
import { fileError, fileSize } from './FileField.tsx';

describe('a chosen file', () => {
  const pdf = { size: 10, type: 'application/pdf' };
  it.each([
    ['none', null],
    ['an empty one', { ...pdf, size: 0 }],
    ['one above the limit', { ...pdf, size: 10_000_001 }],
    ['a web page', { ...pdf, type: 'text/html' }],
  ])('is rejected: %s', (_what, file) => {
    expect(fileError('passportCopy', file)).not.toBeNull();
  });

  it.each([
    ['one of the maximum size', { ...pdf, size: 10_000_000 }],
    ['a photo', { ...pdf, type: 'image/jpeg' }],
    ['one of unknown type, which the server checks', { ...pdf, type: '' }],
    ['one reported as binary data', { ...pdf, type: 'application/octet-stream' }],
  ])('is accepted: %s', (_what, file) => {
    expect(fileError('passportCopy', file)).toBeNull();
  });

  it('is shown with its size', () => {
    expect([0, 999, 1_000, 312_400, 999_499, 999_500, 9_940_000].map(fileSize)).toEqual([
      '0 bytes',
      '999 bytes',
      '1 kB',
      '312 kB',
      '999 kB',
      '1.0 MB',
      '9.9 MB',
    ]);
  });
});
