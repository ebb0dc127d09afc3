from client import (
    Client,
    Found,
    dfunc_contact_check,
    google__phone_number,
    hibp__breached_account,
    ibantools__bank_account,
    iptoasn__ip_country,
)

datarun = Client("https://data.example.com", "drt_x", "wfl_x")

datarun.data(
    google__phone_number({"phone": "+44 20 7946 0958"}),
    # refused: "ibna"
    ibantools__bank_account({"ibna": "GB33BUKB20201555555555"}),
    iptoasn__ip_country({"ip": "192.0.2.1"}),
)
# refused: "phoen"
google__phone_number({"phoen": "+44 20 7946 0958"})
# refused: "ip"
google__phone_number({"phone": "+44 20 7946 0958", "ip": "192.0.2.1"})
# refused: credentials
hibp__breached_account({"email": "ada@example.com"}, credentials={"api_kye": "x"})
# refused: credentials
google__phone_number({"phone": "+44 20 7946 0958"}, credentials={"api_key": "x"})
# refused: "phoen"
dfunc_contact_check({"phoen": "+44 20 7946 0958"})

result = datarun.data(google__phone_number({"phone": "+44 20 7946 0958"}))[google__phone_number]
# refused: "output"
print(result.output)
if isinstance(result, Found):
    # refused: "e146"
    print(result.output["e146"])
