package desktop

import "testing"

func TestAToolChangesNothingOnlyIfItClaimsSo(t *testing.T) {
	for definition, want := range map[string]bool{
		`{"name":"a","annotations":{"readOnlyHint":true}}`:   true,
		`{"name":"a","annotations":{"readOnlyHint":false}}`:  false,
		`{"name":"a","annotations":{"readOnlyHint":"true"}}`: false,
		`{"name":"a","annotations":{"readOnlyHint":1}}`:      false,
		`{"name":"a","annotations":[true]}`:                  false,
		`{"name":"a"}`:                                       false,
		`[]`:                                                 false,
	} {
		if got := readOnly("tool:a", []byte(definition)); got != want {
			t.Errorf("%s: %v", definition, got)
		}
	}
	if readOnly("prompt:a", []byte(`{"annotations":{"readOnlyHint":true}}`)) {
		t.Error("a prompt counts as a tool")
	}
}

func TestADefinitionCostsByItsLengthWithoutWhiteSpace(t *testing.T) {
	short, long := tokensOf("tool:a", []byte(`{"name":"a"}`)), tokensOf("tool:a", []byte("{\n  \"name\": \"a\"\n}"))
	if short != 3 || long != short {
		t.Errorf("%d and %d tokens", short, long)
	}
	if n := tokensOf("prompt:a", []byte(`{"name":"a"}`)); n != 0 {
		t.Errorf("a prompt costs %d", n)
	}
}
