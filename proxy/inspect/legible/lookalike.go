package legible

import "sync"

// Lookalikes are letters of other scripts that look Latin (Unicode Technical Standard 39, confusables.txt; those of Cyrillic, Greek,
// Armenian and Cherokee that pass in running text). The map is built on first use, to keep a wrapper's start fast.
var Lookalikes = sync.OnceValue(func() map[rune]rune {
	return pairs(alike...)
})

var alike = []string{
	"аa", "вb", "сc", "ԁd", "еe", "һh", "іi", "ӏl", "јj", "кk", "мm", "нh", "оo", "рp", "ԛq", "гr", "ѕs", "тt", "ѵv", "ԝw", "хx", "уy", "ѐe", "ёe", "ѓr", "ѝu", "ӧo", "ӓa", "ӱy", "зz", "пn", "ѡw",
	"АA", "ВB", "СC", "ЕE", "НH", "ІI", "ЈJ", "КK", "МM", "ОO", "РP", "ЅS", "ТT", "ХX", "УY", "ԜW", "Ӏl", "ԌG", "ѴV", "ҐG",
	"αa", "βb", "γy", "εe", "ηn", "ιi", "κk", "νv", "οo", "ρp", "σo", "τt", "υu", "χx", "ωw", "ϲc", "ϳj", "δd", "ϱp", "ϵe",
	"ΑA", "ΒB", "ΕE", "ΖZ", "ΗH", "ΙI", "ΚK", "ΜM", "ΝN", "ΟO", "ΡP", "ΤT", "ΥY", "ΧX", "ϹC", "ͿJ",
	"օo", "ѕs", "ոn", "սu", "հh", "եe", "Օo", "Տs", "ցg", "զq", "Ꭺa", "Ᏼb", "Ꮯc", "Ꭰd", "Ꭼe", "Ꮐg", "Ꮋh", "Ꮖi", "Ꭻj", "Ꮶk", "Ꮮl", "Ꮇm", "Ꮲp", "Ꮢr", "Ꮪs", "Ꭲt", "Ꮩv", "Ꮃw", "Ꮓz",
	"ɑa", "ɡg", "ɩi", "ʏy", "ɪi", "ʀr", "ɴn", "ʟl", "ᴀa", "ᴄc", "ᴅd", "ᴇe", "ᴊj", "ᴋk", "ᴍm", "ᴏo", "ᴘp", "ᴛt", "ᴜu", "ᴠv", "ᴡw", "ᴢz", "ʙb", "ɢg", "ʜh", "ꜰf", "ꜱs", "ıi", "ⅼl", "ⅰi", "ⅽc", "ⅾd", "ⅿm", "ⅴv", "ⅹx",
}

func pairs(list ...string) map[rune]rune {
	m := make(map[rune]rune, len(list))
	for _, p := range list {
		r := []rune(p)
		m[r[0]] = r[1]
	}
	return m
}
