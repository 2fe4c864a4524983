import { getCollection } from 'astro:content';
import { fieldsOf } from './entries.ts';
import { fallbackAttributes, type LocalizedText, renderLocalized } from './localized-entries.ts';

export interface Question {
  /** The name of the question's file, without its extension. Also the anchor on the page. */
  readonly id: string;
  readonly question: string;
  readonly Answer: LocalizedText['Content'];
  /** The `lang` and `dir` attributes, if the question is not in the page's language. */
  readonly attributes: ReturnType<typeof fallbackAttributes>;
}

/**
 * The FAQ's categories in order, with their sorted questions.
 * @throws {Error} if a folder is not in `content/faq/categories.yaml`, or two questions have the same anchor
 */
export async function questionCategories() {
  const categories = await fieldsOf('faqCategories');
  const entries = await getCollection('faq');
  const anchors = new Set(Object.keys(categories));
  for (const { id, filePath } of entries) {
    const { category, anchor } = splitId(id);
    if (!Object.hasOwn(categories, category)) {
      throw new Error(`${filePath}: content/faq/categories.yaml has no category "${category}".`);
    }
    if (anchors.has(anchor)) throw new Error(`${filePath}: "${anchor}" is already an anchor of the FAQ.`);
    anchors.add(anchor);
  }
  return Promise.all(
    Object.entries(categories).map(async ([id, category]) => {
      const pendingQuestions = entries
        .filter((entry) => splitId(entry.id).category === id)
        .toSorted((a, b) => a.data.order - b.data.order)
        .map(async (entry): Promise<Question> => {
          const { Content, question, isFallback } = await renderLocalized(entry);
          return {
            id: splitId(entry.id).anchor,
            question: question ?? entry.data.question,
            Answer: Content,
            attributes: fallbackAttributes(isFallback),
          };
        });
      return { id, ...category, questions: await Promise.all(pendingQuestions) };
    }),
  );
}

/** `staking/lock` is the question `lock` in the category `staking`. */
function splitId(id: string): { readonly category: string; readonly anchor: string } {
  const [category = '', anchor = ''] = id.split('/');
  return { category, anchor };
}
