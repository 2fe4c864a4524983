import { describe, expect, it } from 'vitest';
import { fileFault, fileMark, fileSize, markedName } from './chosen-file.ts';

describe('a chosen file', () => {
  const pdf = { size: 10, type: 'application/pdf' };
  it.each([
    ['none', null, 'Please choose a passport copy'],
    ['empty', { ...pdf, size: 0 }, 'The passport copy is empty: choose another file'],
    [
      'too large',
      { ...pdf, size: 10_000_001 },
      'The passport copy is larger than 10 MB: choose a smaller file',
    ],
    [
      'a web page',
      { ...pdf, type: 'text/html' },
      'The passport copy is no PDF, JPEG or PNG: choose another file',
    ],
    ['as large as it may be', { ...pdf, size: 10_000_000 }, null],
    ['a photo', { ...pdf, type: 'image/jpeg' }, null],
    ['of no type that the system knows, which the server looks into', { ...pdf, type: '' }, null],
    ['of any bytes, as the system says', { ...pdf, type: 'application/octet-stream' }, null],
  ])('that is %s is told so', (_what, file, words) => {
    expect(fileFault('passportCopy', file)).toBe(words);
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

  it('is known again by its mark, whatever its name', () => {
    const file = { name: 'a | b.pdf', size: 3, lastModified: 7 };
    expect(markedName(fileMark(file))).toBe('a | b.pdf');
    expect(markedName('')).toBeNull();
    expect(fileMark({ ...file, size: 4 })).not.toBe(fileMark(file));
  });
});
