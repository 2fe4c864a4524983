import { getDocument } from 'unpdf/pdfjs';

/** A structure element of a page, as screen readers see it. */
interface StructureNode {
  readonly role: string;
  readonly alt?: string;
  readonly children: readonly StructureNode[];
}

interface PdfPage {
  readonly text: string;
  /** All elements of the page, parents first. */
  readonly elements: readonly StructureNode[];
  readonly links: readonly { readonly url?: string; readonly dest?: unknown }[];
}

function isNode(value: unknown): value is StructureNode {
  return typeof value === 'object' && value !== null && 'role' in value && 'children' in value;
}

function flatten(node: StructureNode): readonly StructureNode[] {
  return [node, ...node.children.filter(isNode).flatMap(flatten)];
}

/** Whether an element has content on this page. An element that spans pages is listed on each of them. */
export function hasContent(element: StructureNode): boolean {
  return element.children.some((child) => !isNode(child) || hasContent(child));
}

export async function readPdf(bytes: Uint8Array) {
  // A copy, because pdf.js takes ownership of the buffer.
  const task = getDocument({ data: new Uint8Array(bytes), verbosity: 0, useSystemFonts: false });
  const pdf = await task.promise;
  const pages: PdfPage[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const structure: unknown = await page.getStructTree();
    if (!isNode(structure)) throw new Error(`Page ${number} has no structure.`);
    pages.push({
      text: items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join(''),
      elements: flatten(structure),
      links: await page.getAnnotations(),
    });
  }
  const content = {
    pages,
    outline: (await pdf.getOutline()) ?? [],
    metadata: await pdf.getMetadata(),
    pageOf: async (target: unknown) => {
      const destination = typeof target === 'string' ? await pdf.getDestination(target) : target;
      return Array.isArray(destination) ? (await pdf.getPageIndex(destination[0])) + 1 : null;
    },
  };
  return { ...content, close: () => task.destroy() };
}
