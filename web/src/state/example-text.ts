// A text to train on for who has none at hand: written for this page, with enough repetition for a very small model to
// learn from within a minute.

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const weathers = ['it rains', 'it snows', 'the sun shines', 'the wind blows', 'fog lies on the river'];
const people = ['the miller', 'the baker', 'the ferryman', 'the gardener'];
const places: Readonly<Record<string, string>> = {
  'it rains': 'stays in the house and mends a basket',
  'it snows': 'lights the stove and reads a letter',
  'the sun shines': 'walks to the market and sells plums',
  'the wind blows': 'climbs the hill and flies a kite',
  'fog lies on the river': 'rings the bell and waits for the boat',
};

/** One sentence a line: what somebody does follows from the weather, and a model can find that out. */
export const exampleText = days
  .flatMap((day) =>
    weathers.flatMap((weather) => people.map((person) => `On ${day} ${weather}, so ${person} ${places[weather]}.`)),
  )
  .join('\n');
