import { getDocument } from 'unpdf/pdfjs';

/** An element of a page's structure, as a reader for the blind meets it. */
export interface StructureNode {
  readonly role: string;
  readonly alt?: string;
  readonly children: readonly StructureNode[];
}

export interface ReadPage {
  readonly text: string;
  readonly structure: StructureNode;
  /** Every element of the page, each before what it holds. */
  readonly elements: readonly StructureNode[];
  readonly links: readonly { readonly url?: string; readonly dest?: unknown }[];
}

function isNode(value: unknown): value is StructureNode {
  return typeof value === 'object' && value !== null && 'role' in value && 'children' in value;
}

function flat(node: StructureNode): readonly StructureNode[] {
  return [node, ...node.children.filter(isNode).flatMap(flat)];
}

/** Whether an element has anything on the page it was read of: one that goes over several pages is told of on each. */
export function saysSomething(element: StructureNode): boolean {
  return element.children.some((child) => !isNode(child) || saysSomething(child));
}

/** Reads a PDF back as a viewer does. */
export async function readPdf(bytes: Uint8Array) {
  // The reader takes the bytes it is given for itself.
  const task = getDocument({ data: new Uint8Array(bytes), verbosity: 0, useSystemFonts: false });
  const pdf = await task.promise;
  const pages: ReadPage[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const structure: unknown = await page.getStructTree();
    if (!isNode(structure)) throw new Error(`Page ${number} has no structure.`);
    pages.push({
      text: items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join(''),
      structure,
      elements: flat(structure),
      links: await page.getAnnotations(),
    });
  }
  const read = {
    pages,
    outline: (await pdf.getOutline()) ?? [],
    destinations: await pdf.getDestinations(),
    metadata: await pdf.getMetadata(),
    pageOf: async (target: unknown) => {
      const place = typeof target === 'string' ? await pdf.getDestination(target) : target;
      return Array.isArray(place) ? (await pdf.getPageIndex(place[0])) + 1 : null;
    },
  };
  return { ...read, close: () => task.destroy() };
}
