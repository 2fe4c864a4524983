import 'pdfkit';

/** Options that the library accepts and its types lack (https://pdfkit.org/docs/accessibility.html). */
declare global {
  namespace PDFKit {
    namespace Mixins {
      interface AnnotationOption {
        /** The element that the annotation belongs to. */
        structParent?: PDFKit.PDFStructureElement;
      }
      interface StructureElementOptions {
        /** Whether a heading cell applies to its column or to its row. */
        scope?: 'Column' | 'Row';
        /** Left, top, right and bottom of a figure. */
        bbox?: [number, number, number, number];
      }
    }
    interface PDFStructureElement {
      readonly dictionary: { readonly data: Record<string, unknown> };
    }
  }
}
