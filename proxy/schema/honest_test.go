package schema

import (
	"fmt"
	"strings"
	"testing"
)

func TestAMegabyteOfRowsIsReallyValidated(t *testing.T) {
	schema, value := rows(1 << 20)
	if v := judge(t, schema, value); v != nil {
		t.Fatalf("%+v", v)
	}
	last := strings.LastIndex(value, `"state":"merged"`)
	v := judge(t, schema, value[:last]+`"state":"merging"`+value[last+len(`"state":"merged"`):])
	if v == nil || v.Keyword != "enum" || v.Place() != "/$defs/row/properties/state/enum" || !strings.HasSuffix(v.Instance, "/state") {
		t.Errorf("%+v", v)
	}
}

func TestAnExpressionTreeOf4000NodesIsReallyValidated(t *testing.T) {
	schema, value := expression(4000)
	if v := judge(t, schema, value); v != nil {
		t.Fatalf("%+v", v)
	}
	last := strings.LastIndex(value, `"value":`)
	if v := judge(t, schema, value[:last]+`"other":`+value[last+len(`"value":`):]); v == nil || v.Keyword != "oneOf" {
		t.Errorf("%+v", v)
	}
}

func TestAnEMailPatternWithLookAheadsIsReallyValidated(t *testing.T) {
	schema := `{"items":{"type":"string","pattern":"^(?=.{6,254}$)(?=[^@]{1,64}@)[A-Za-z0-9._%+-]+@(?!-)[A-Za-z0-9-]+(\\.[A-Za-z]{2,})+$"}}`
	good := items(50, `"ada.lovelace+%d@example.org"`)
	if v := judge(t, schema, "["+good+"]"); v != nil {
		t.Errorf("%+v", v)
	}
	for _, bad := range []string{`"a@-example.org"`, `"no address"`, `"` + strings.Repeat("a", 65) + `@example.org"`} {
		if v := judge(t, schema, "["+good+","+bad+"]"); v == nil || v.Keyword != "pattern" || v.Instance != "/50" {
			t.Errorf("%s: %+v", bad, v)
		}
	}
}

func TestAnEnumOfThousandsForThousandsOfRowsIsNotCostly(t *testing.T) {
	schema := `{"items":{"enum":[` + items(8000, `"code-%d"`) + `]}}`
	value := "[" + items(20000, `"code-7999"`) + "]"
	if v := judge(t, schema, value); v != nil {
		t.Errorf("%+v", v)
	}
}

func TestWideObjectsAndManyPatternsAreNotCostly(t *testing.T) {
	var members []string
	for i := range 5000 {
		members = append(members, fmt.Sprintf(`"x-%d":"v","n%d":%d`, i, i, i))
	}
	schema := `{"patternProperties":{"^x-":{"type":"string"},"^n[0-9]+$":{"type":"integer"}},"additionalProperties":false,"propertyNames":{"maxLength":20}}`
	if v := judge(t, schema, "{"+strings.Join(members, ",")+"}"); v != nil {
		t.Errorf("%+v", v)
	}
}
