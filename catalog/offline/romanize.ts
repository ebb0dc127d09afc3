import { shareScript, type Word } from "./fold-name.ts";

/*
 * Latin letters for the letters of alphabets that have a letter for each sound, as English-language documents usually
 * write them. Letters come without accents, as in `Word.text`. Scripts that leave out vowels (Arabic, Hebrew) or write
 * syllables and words (kana, Han) are not romanized: the result would be too far from any usual spelling.
 */
const ALPHABETS = `
а a б b в v г g ґ g д d ђ dj е e є e ж zh з z ѕ dz и i і i ј j к k л l љ lj м m н n њ nj о o п p р r с s т t ћ c у u
ф f х kh ц ts ч ch џ dz ш sh щ shch ъ - ы y ь - э e ю yu я ya
α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ου ou ο o π p ρ r σ s ς s τ t αυ av ευ ev υ y φ f χ ch ψ ps ω o
ა a ბ b გ g დ d ე e ვ v ზ z თ t ი i კ k ლ l მ m ნ n ო o პ p ჟ zh რ r ს s ტ t უ u ფ p ქ k ღ gh ყ q შ sh ჩ ch ც ts ძ dz
წ ts ჭ ch ხ kh ჯ j ჰ h
ա a բ b գ g դ d ե e զ z է e ը y թ t ժ zh ի i լ l խ kh ծ ts կ k հ h ձ dz ղ gh ճ ch մ m յ y ն n շ sh ու u ո o չ ch պ p ջ j
ռ r ս s վ v տ t ր r ց ts ւ v փ p ք k օ o ֆ f և ev`;

const LATIN = new Map<string, string>();
for (const [, letters, latin] of ALPHABETS.matchAll(/(\S+) (\S+)/g)) LATIN.set(letters!, latin === "-" ? "" : latin!);
const LETTERS = new RegExp([...LATIN.keys()].sort((a, b) => b.length - a.length).join("|"), "gu");

/** Two names in one script, romanized if they have none in common; `null` if that is not possible. */
export function inOneScript(
  words: readonly Word[],
  others: readonly Word[],
): readonly [words: readonly Word[], others: readonly Word[]] | null {
  if (shareScript(words, others)) return [words, others];
  const romanized = [romanize(words), romanize(others)] as const;
  return shareScript(...romanized) ? romanized : null;
}

/** Words without any of the letters above are returned as they are. */
function romanize(words: readonly Word[]): readonly Word[] {
  return words.flatMap((word) => {
    const text = word.text.replace(LETTERS, (letters) => LATIN.get(letters)!);
    if (text === word.text) return [word];
    return text === "" ? [] : [{ text, spelled: text, isRomanized: true }];
  });
}
