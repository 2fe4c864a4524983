import { describe, expect, it } from 'vitest';
import { fileError, fileSizeText } from './FileField.tsx';

describe('a required file', () => {
  const pdf = { size: 10, type: 'application/pdf' };
  it.each([
    ['it is missing', null],
    ['it is empty', { ...pdf, size: 0 }],
    ['it is too large', { ...pdf, size: 10_000_001 }],
    ['its type is not accepted', { ...pdf, type: 'text/html' }],
    ['it is a HEIC picture', { ...pdf, type: 'image/heic' }],
  ])('causes an error if %s', (_case, file) => {
    expect(fileError('passportCopy', file)).not.toBeNull();
  });

  it.each([
    ['it has the maximum size', { ...pdf, size: 10_000_000 }],
    ['it is a photo', { ...pdf, type: 'image/jpeg' }],
    ['it is a WebP', { ...pdf, type: 'image/webp' }],
    ['the browser does not know its type', { ...pdf, type: '' }],
    ['the browser reports it as binary data', { ...pdf, type: 'application/octet-stream' }],
  ])('is accepted if %s', (_case, file) => {
    expect(fileError('passportCopy', file)).toBeNull();
  });

  it('shows its size in bytes, kB or MB', () => {
    expect([0, 999, 1_000, 312_400, 999_499, 999_500, 9_940_000].map(fileSizeText)).toEqual([
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
