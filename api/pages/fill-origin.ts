import { ORIGIN_PLACEHOLDER } from '../../data/contract/origin-placeholder.ts';

export function fillTextOrigin(bytes: Buffer, origin: string): Buffer {
  return Buffer.from(bytes.toString('utf8').replaceAll(ORIGIN_PLACEHOLDER, origin));
}

/**
 * Fills the origin into the links of a built PDF. Each filled link moves the objects after it, so this also corrects their byte
 * offsets in the cross-reference table at the end (ISO 32000-1, 7.5.4).
 */
export function fillPdfOrigin(bytes: Buffer, origin: string): Buffer {
  const text = bytes.toString('latin1');
  const linkOffsets = [...text.matchAll(new RegExp(ORIGIN_PLACEHOLDER.replaceAll('.', '\\.'), 'g'))].map(
    ({ index }) => index,
  );
  const growth = origin.length - ORIGIN_PLACEHOLDER.length;
  const movedOffset = (offset: string) =>
    String(Number(offset) + growth * linkOffsets.filter((link) => link < Number(offset)).length);
  const tableAt = text.lastIndexOf('\nxref') + 1;
  const objects = text.slice(0, tableAt).replaceAll(ORIGIN_PLACEHOLDER, origin);
  const table = text
    .slice(tableAt)
    .replaceAll(/^\d{10}(?= \d{5} n)/gm, (offset) => movedOffset(offset).padStart(10, '0'))
    .replace(/(?<=startxref\s)\d+/, movedOffset);
  return Buffer.from(objects + table, 'latin1');
}
